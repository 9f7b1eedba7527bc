"""Reading: how do files become preferences? Tables, their columns, the four forms, whole or as a stream."""
