"""The interview in a browser: pages for respondents and for those who run the study."""
