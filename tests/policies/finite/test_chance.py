"""Chance is enumerated: every outcome with its exact probability."""

import pytest

from lori.policies.finite.chance import NotEnumerable, Tape, outcomes

TAPE = Tape()


def enumerated(draw):
    def run(answers):
        TAPE.rewind(answers)
        return draw(TAPE)

    return outcomes(run)


def test_a_step_without_chance_has_one_outcome():
    assert enumerated(lambda generator: "only") == {"only": 1.0}


@pytest.mark.parametrize("share", [0.1, 0.35, 0.9, 1 / 3])
def test_a_threshold_of_a_uniform_number_is_found(share):
    found = enumerated(lambda generator: bool(generator.random() < share))
    assert found[True] == pytest.approx(share, abs=1e-13)
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-13)


def test_choices_integers_and_several_draws_multiply():
    found = enumerated(lambda generator: (int(generator.choice([3, 4], p=[0.25, 0.75])), int(generator.integers(1, 3))))
    assert found == pytest.approx({(3, 1): 0.125, (3, 2): 0.125, (4, 1): 0.375, (4, 2): 0.375})
    both = enumerated(lambda generator: (generator.random() < 0.5) + (generator.uniform(2, 4) < 2.5))
    assert both == pytest.approx({0: 0.375, 1: 0.5, 2: 0.125}, abs=1e-12)


@pytest.mark.parametrize("draw", [lambda g: g.normal(), lambda g: g.integers(0, 9, size=2), lambda g: g.random(50)[0]])
def test_what_has_no_list_is_refused(draw):
    with pytest.raises(NotEnumerable):
        enumerated(draw)
