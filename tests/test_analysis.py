"""Does the page on the paper's analysis say what its code prints?"""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "analysis.md"


@pytest.mark.slow
def test_the_code_of_the_page_prints_what_the_page_says():
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL))
    promised = re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(PAGE), "exec"), {})
    assert promised
    assert printed.getvalue().splitlines() == promised
