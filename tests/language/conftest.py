"""Results made by hand, as the golden sentences are made of them."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="session")
def made():
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("sentences.py"))))
