"""A small made-up registry, made once for each policy that a test asks for."""

import pytest

from lori.applications.organ.registry import read_registry
from lori.applications.organ.survival import estimate
from lori.applications.organ.synthetic import SyntheticSettings, write_registry

SMALL = SyntheticSettings(patients=400, organs=330, history=1_500, others=80, waiting=60, seed=1)


@pytest.fixture(scope="session")
def registry_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("organ") / "registry.csv"
    write_registry(path, SMALL)
    return path


@pytest.fixture(scope="session")
def registry(registry_file):
    return read_registry(registry_file)


@pytest.fixture(scope="session")
def estimates(registry):
    pytest.importorskip("lifelines", reason="needs the extra [organ]")
    return estimate(registry)
