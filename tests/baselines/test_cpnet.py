"""Is dominance in CP-nets what a search of all flips finds, and is a net found again from its preferences?"""

from itertools import permutations, product

import numpy as np
import pytest

import lori
from lori.baselines.cpnet import CPNet, CPNetLearner, topological
from lori.errors import DataError, InputError


def tables(sizes, parents, generator):
    """A random order for each attribute and each assignment of its parents."""
    return [
        {
            context: tuple(map(int, generator.permutation(size)))
            for context in product(*(range(sizes[p]) for p in above))
        }
        for size, above in zip(sizes, parents, strict=True)
    ]


def all_small_nets():
    """Every acyclic net of three binary attributes with at most one parent each."""
    orders = [(0, 1), (1, 0)]
    for parents in product([(), (0,), (1,), (2,)], repeat=3):
        if any(own in above for own, above in enumerate(parents)) or topological(parents) is None:
            continue
        places = [(own, context) for own, above in enumerate(parents) for context in product((0, 1), repeat=len(above))]
        for chosen in product(orders, repeat=len(places)):
            made = [{} for _ in parents]
            for (own, context), order in zip(places, chosen, strict=True):
                made[own][context] = order
            yield CPNet((2, 2, 2), parents, made)


def reachable(net) -> dict:
    """By brute force: from each outcome, all that a sequence of flips leads to, all flips being tried."""
    outcomes = list(product(*map(range, net.sizes)))

    def better_by_one(worse):
        for own, size in enumerate(net.sizes):
            order = net.tables[own][tuple(worse[p] for p in net.parents[own])]
            for value in range(size):
                if order.index(value) < order.index(worse[own]):
                    yield (*worse[:own], value, *worse[own + 1 :])

    step = {worse: set(better_by_one(worse)) for worse in outcomes}
    found = {}
    for outcome in outcomes:
        seen, front = set(), {outcome}
        while front:
            front = set().union(*(step[own] for own in front)) - seen
            seen |= front
        found[outcome] = seen
    return found


def check(net):
    truth = reachable(net)
    for worse, better in permutations(truth, 2):
        assert net.dominates(better, worse) is (better in truth[worse])
    outcomes = list(truth)
    expected = np.array([[one in truth[other] for other in outcomes] for one in outcomes])
    assert np.array_equal(net.relation, expected)


def test_dominance_equals_a_search_of_flips_on_all_nets_of_three_binary_attributes():
    nets = list(all_small_nets())
    assert len(nets) == 392
    for net in nets:
        check(net)


def test_dominance_equals_a_search_of_flips_on_random_nets_of_five_attributes():
    generator = np.random.default_rng(1000)
    for _ in range(100):
        order, parents = generator.permutation(5), [()] * 5
        for place, own in enumerate(order):
            above = generator.permutation(order[:place])[: generator.integers(3)]
            parents[own] = tuple(int(parent) for parent in above)
        net = CPNet((2,) * 5, tuple(parents), tables((2,) * 5, parents, generator))
        truth = reachable(net)
        expected = np.array([[one in truth[other] for other in truth] for one in truth])
        assert np.array_equal(net.relation, expected)
        outcomes = list(truth)
        for one, other in generator.integers(len(outcomes), size=(25, 2)):
            if one != other:
                assert net.dominates(outcomes[one], outcomes[other]) == expected[one, other]


def test_a_cycle_is_refused():
    with pytest.raises(InputError, match="acyclic"):
        CPNet((2, 2), ((1,), (0,)), [{(0,): (0, 1), (1,): (0, 1)}] * 2)


@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_a_net_is_found_again_from_what_it_entails(seed):
    generator = np.random.default_rng(seed)
    sizes, parents = (2, 3, 2, 2), ((), (0,), (1,), ())
    truth = CPNet(sizes, parents, tables(sizes, parents, generator))
    outcomes = np.array(list(product(*map(range, sizes))), float)
    better, worse = np.nonzero(truth.relation)
    seen = lori.Preferences.from_indices(outcomes, better, worse)
    model = CPNetLearner().fit(seen)
    assert (model.entailed_, model.contradicted_) == (len(better), 0)
    assert np.array_equal(model.net_.relation, truth.relation)
    one, other = np.nonzero(~truth.relation & ~truth.relation.T & ~np.eye(len(outcomes), dtype=bool))
    assert np.allclose(model.predict_proba(outcomes[one], outcomes[other]), [0.5, 0, 0.5])  # nothing is said of these


def test_features_with_many_values_are_cut():
    truth = lori.OrderedModel.linear([[3.0, 1.0]], epsilon=[0.0])
    seen = lori.simulate(truth, 500, seed=1000)
    model = CPNetLearner().fit(seen)
    assert model.attributes_.sizes == (4, 4)
    assert model.score(seen) > np.log(0.5) + 0.1


def test_too_many_features_are_refused():
    with pytest.raises(DataError, match="at most 4,096 combinations"):
        CPNetLearner().fit(np.random.default_rng(0).normal(size=(20, 2, 13)))
