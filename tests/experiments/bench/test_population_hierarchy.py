"""Does the truth foretell as it should, and are populations put together as they are described?"""

import numpy as np
import pytest

from lori.experiments.bench import populations
from lori.experiments.bench.population_hierarchy import asked, halves, truth_foretells


def test_who_knows_the_distribution_foretells_better_than_chance_and_has_draws_that_count():
    generator = np.random.default_rng(0)
    data = asked(8, 12, generator)
    last = np.arange(len(data)) % 12 >= 6
    logs, effective = truth_foretells(data.subset(~last), data.subset(last), 2000, generator)
    assert logs.shape == (48,)
    assert logs.mean() > -np.log(3)
    assert effective > 20


def test_halves_of_two_populations():
    design = populations.Design(6, 4, 2)
    both = halves(populations.two_levels(design, 0), populations.one_level(design, 1))
    assert sorted(set(both.agent)) == list("012345")
    np.testing.assert_array_equal(both.left_features[:12], populations.two_levels(design, 0).left_features[:12])
    assert len(both) == pytest.approx(24)
