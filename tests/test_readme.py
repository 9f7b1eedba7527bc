"""The README's Python code runs, and prints what the README says."""

import re
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_example_prints_what_the_readme_shows(capsys):
    blocks = re.findall(r"```python\n(.*?)```\n\n```output\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert blocks
    for code, shown in blocks:
        exec(compile(code, "README.md", "exec"), {})
        assert capsys.readouterr().out == shown
