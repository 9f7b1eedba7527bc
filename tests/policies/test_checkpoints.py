"""Checkpoints: what was written is read, and nothing else is taken for it."""

import numpy as np
import pytest

from lori import ModelFileError
from lori.policies.checkpoints import Checkpoint, read_checkpoint, write_checkpoint


def test_what_was_written_is_read_and_nothing_else(tmp_path):
    path, made_for = tmp_path / "state.npz", {"seed": 1, "order": [0, 1]}
    write_checkpoint(path, "learner", made_for, Checkpoint({"values": np.arange(3)}, 7, {"state": 2**100}))
    found = read_checkpoint(path, "learner", made_for)
    assert found.arrays["values"].tolist() == [0, 1, 2]
    assert found.done == 7
    assert found.random == {"state": 2**100}
    with pytest.raises(ModelFileError, match="another seed"):
        read_checkpoint(path, "learner", {**made_for, "seed": 2})
    with pytest.raises(ModelFileError, match="one of learner"):
        read_checkpoint(path, "other", made_for)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ModelFileError, match="a damaged one"):
        read_checkpoint(path, "learner", made_for)
