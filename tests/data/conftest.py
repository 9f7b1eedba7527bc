"""What the tests of the data layer share: files written on the fly, and the reference folder."""

from pathlib import Path

import pytest

from lori.errors import DataError

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture
def shared() -> Path:
    """The folder of reference data beside the project."""
    if not SHARED.is_dir():
        pytest.skip("the folder shared/data is not beside the project")
    return SHARED


@pytest.fixture
def write(tmp_path):
    """Write a text file and return its path."""

    def write_file(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


@pytest.fixture
def refused():
    """Call something that must fail with a DataError of one sentence, and return the sentence."""

    def call(function, *args, secret: str | None = None, **options) -> str:
        with pytest.raises(DataError) as caught:
            function(*args, **options)
        message = str(caught.value)
        assert message.endswith(".")
        assert "\n" not in message
        assert caught.value.exit_code == 2
        assert secret is None or secret not in message
        return message

    return call
