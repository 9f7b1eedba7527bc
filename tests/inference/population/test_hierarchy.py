"""Is the distribution between people learned, and the integral over it right?

NumPyro's sampler referees what is said of people and of each of them; there the model is written anew.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lori
from lori.inference.population.hierarchy import CENTRE, WIDTH, Distribution, Hierarchy, Link, by_agent, start_of
from lori.inference.population.spread import Kind, learn
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

PEOPLE, EACH = 30, 15
MEAN, DEVIATION = np.array([2.0, 0.5, 1.2, -0.5, 1.5, 0.3]), np.array([0.6, 0.5, 0.8, 0.4, 0.7, 0.6])
EFFECTIVE = 100  # draws that an agent's mean rests on, in this project at least


def test_the_integral_is_that_of_a_fine_grid(people):
    problem, _ = people
    hierarchy = Hierarchy(problem)
    distribution = Distribution(np.array([1.0, -0.7]), np.array([0.9, 0.5]))
    drawn, _ = hierarchy.drawn(distribution, np.tile(distribution.mean, (hierarchy.agents, 1)), 1024)
    _, logs = drawn.shares(distribution)
    axis = np.linspace(-7, 7, 101)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    z = distribution.draws(grid)
    height = np.exp(-0.5 * (grid**2).sum(axis=1)) / (2 * np.pi) * (axis[1] - axis[0]) ** 2
    for agent in range(3):
        one = Hierarchy(problem.of_group(agent))
        exact = np.log(height @ np.exp(one.log_likelihood(z[None])[0]))
        assert logs[agent] == pytest.approx(exact, abs=0.02)


def test_shares_and_a_step_are_those_of_densities_and_moments(people):
    hierarchy = Hierarchy(people[0])
    distribution = Distribution(np.array([3.0, -0.7]), np.array([0.02, 0.5]))
    drawn, _ = hierarchy.drawn(distribution, np.tile(distribution.mean, (hierarchy.agents, 1)), 16)
    joint = drawn.log_weights + distribution.log_density(drawn.z)
    shares, logs = drawn.shares(distribution)
    np.testing.assert_allclose(logs, np.log(np.mean(np.exp(joint), axis=1)), rtol=1e-9)
    np.testing.assert_allclose(shares, np.exp(joint - logs[:, None]) / 16, atol=1e-9)
    found, count = hierarchy.updated(drawn, distribution, shares), hierarchy.agents
    mean = np.einsum("ar,arp->p", shares, drawn.z) / (count + (distribution.deviation / CENTRE) ** 2)
    square = np.einsum("ar,arp->p", shares, (drawn.z - mean) ** 2)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.deviation, np.sqrt((square + WIDTH**2) / (count + 1)), rtol=1e-9)


def test_the_link_cuts_at_the_bounds_and_has_the_derivatives_of_differences():
    data = lori.simulate(lori.OrderedModel.linear([[1.0, 2.0]], epsilon=[0.5]), 20, seed=0)
    settings = checked_settings(lori.LORI(levels=1).get_params(deep=False), [data])
    link = Link(settings.specification)
    z = np.array([0.3, -0.2, 0.7, -2.0])
    first, second = link.derivatives(z)
    step = 1e-5
    up, down = link.parameters(z + step), link.parameters(z - step)
    np.testing.assert_allclose(first, (up - down) / (2 * step), atol=1e-8)
    np.testing.assert_allclose(second, (up - 2 * link.parameters(z) + down) / step**2, atol=1e-4)
    assert link.parameters(np.array([0.3, -0.2, -0.7, -2.0]))[2] == 0.0
    np.testing.assert_allclose(link.inverse(link.parameters(z)), z, rtol=1e-12)


# -- NumPyro, the referee ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def numpyro():
    return pytest.importorskip("numpyro", reason="NumPyro, the referee, is not installed")


def sampled(numpyro, model, *arguments, seed=0, warmup=700, draws=3000):
    with jax.enable_x64(True):
        kernel = numpyro.infer.NUTS(model, target_accept_prob=0.9)
        chain = numpyro.infer.MCMC(kernel, num_warmup=warmup, num_samples=draws, progress_bar=False)
        chain.run(jax.random.PRNGKey(seed), *arguments)
        return {name: np.asarray(own) for name, own in chain.get_samples().items()}


def two_levels(z, x):
    """The probability that the first of two is chosen, ties being split by a coin, for (people, 6) numbers: the weights
    of two levels with a threshold after each. A threshold below zero is zero."""
    upper, lower = (jnp.einsum("arf,af->ar", x, z[:, own]) for own in (slice(0, 2), slice(3, 5)))
    first, last = jnp.maximum(z[:, 2:3], 0.0), jnp.maximum(z[:, 5:6], 0.0)
    better, worse = jax.nn.sigmoid(upper - first), jax.nn.sigmoid(-upper - first)
    then, never = jax.nn.sigmoid(lower - last), jax.nn.sigmoid(-lower - last)
    return better + (1 - better - worse) * (then + 0.5 * (1 - then - never))


@pytest.fixture(scope="module")
def two_level_people():
    """Choices of people with two levels: differences (people, choices, features), who won, and the problem."""
    random = np.random.default_rng(21)
    z, x = MEAN + DEVIATION * random.normal(size=(PEOPLE, 6)), random.normal(size=(PEOPLE, EACH, 2))
    won = random.uniform(size=(PEOPLE, EACH)) < np.asarray(two_levels(jnp.asarray(z), jnp.asarray(x)))
    groups = [
        lori.Preferences.from_arrays(own, np.zeros_like(own), wins=left * 1.0, losses=1.0 - left)
        for own, left in zip(x, won, strict=True)
    ]
    data = lori.Preferences.concatenate(groups)
    settings = checked_settings(lori.LORI(levels=2, lapse=0, prior=None).get_params(deep=False), [data])
    return x, won, by_agent(Problem.of(settings.specification, [data], None), groups)


@pytest.mark.slow
def test_of_each_agent_means_are_those_of_numpyro(two_level_people, numpyro):
    x, won, problem = two_level_people
    own, units = problem.specification, [*problem.scaling.scale, 1.0] * 2
    slots = [*own.reward_slots[0], own.epsilon_slots[0], *own.reward_slots[1], own.epsilon_slots[1]]
    mean, deviation = np.empty((2, 6))
    mean[slots], deviation[slots] = MEAN * units, DEVIATION * units
    distribution = Distribution(mean, deviation)
    drawn, _ = Hierarchy(problem).drawn(distribution, np.tile(mean, (PEOPLE, 1)), 4096)
    shares, _ = drawn.shares(distribution)
    ours = np.einsum("ar,arp->ap", shares, drawn.z)[:, slots] / units

    def model(x, won):
        z = numpyro.sample("z", numpyro.distributions.Normal(MEAN, DEVIATION).expand([PEOPLE, 6]).to_event(2))
        numpyro.sample("won", numpyro.distributions.Bernoulli(two_levels(z, x)), obs=won)

    theirs = sampled(numpyro, model, jnp.asarray(x), jnp.asarray(won, float))["z"]
    effective = drawn.effective(distribution)
    assert effective.min() > EFFECTIVE
    width = theirs.std(axis=0)
    assert width.mean() < 0.95 * DEVIATION.mean()  # choices tell something
    apart = (ours - theirs.mean(axis=0)) / width
    error = np.sqrt(1 / effective + 1 / 1000)[:, None]  # a chain of 3 000 is worth a third of that, at least
    assert np.abs(apart / error).max() < 4.5  # of 180 numbers


@pytest.mark.slow
def test_the_distribution_between_people_is_that_of_numpyro(people, numpyro):
    """One level. Between people, what is most likely lies within half a posterior deviation of the posterior mean."""
    problem, pooled = people
    kind = Kind.around(Hierarchy(problem), start_of(pooled, np.array([0.5, -0.5])))
    (found,) = learn([(kind,)]).kinds
    scale = pooled.scaling.scale
    rows = [own.kinds["decided"] for own in problem.source.observations]
    x = jnp.asarray(np.stack([own.contrasts() for own in rows]) / scale)  # the chosen one minus the other

    def model(x):
        mean = numpyro.sample("mean", numpyro.distributions.Normal(0.0, CENTRE).expand([2]).to_event(1))
        deviation = numpyro.sample("deviation", numpyro.distributions.Uniform(0.01, 20.0).expand([2]).to_event(1))
        numpyro.factor("one more person", jnp.sum(-jnp.log(deviation) - WIDTH**2 / (2 * deviation**2)))
        normal = numpyro.sample("normal", numpyro.distributions.Normal().expand([len(x), 2]).to_event(2))
        gap = jnp.einsum("arf,af->ar", x, mean + deviation * normal)
        numpyro.factor("likelihood", jax.nn.log_sigmoid(gap).sum())

    theirs = sampled(numpyro, model, x, warmup=500, draws=1500)
    for name, ours in (("mean", found.distribution.mean), ("deviation", found.distribution.deviation)):
        apart = (ours - theirs[name].mean(axis=0)) / theirs[name].std(axis=0)
        assert np.abs(apart).max() < 0.5, name
