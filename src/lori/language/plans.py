"""Plans in words: what did each level get and give up, and what should one know about the plan?"""

from __future__ import annotations

from collections.abc import Sequence

from lori.language.numbers import between, fine_percent, number, percent, rounded
from lori.language.sentence import Name, Part, Sentence, Share, joined

ROUNDING = 1e-7  # relative: smaller differences are none


def level_got(
    place: int, name: str, value: float, threshold: float | None, alone: float, slack: float = 0.0
) -> Sentence:
    """What a level got, what was enough, and what it could have had on its own."""
    said = ["level {place}, {name}, gets {value}"]
    if threshold is not None:
        said.append("{threshold} is enough" if value >= threshold - _small(threshold) else "{threshold} was asked for")
    if slack > 0:
        said.append("{slack} less counts as equal")
    given_up = alone - value
    if given_up > _small(alone):
        said.append("on its own it could have {alone}, so that it gives up {given_up}")
    else:
        said.append("it gives up nothing")
    return Sentence.of(
        "; ".join(said) + ".", place=place, name=Name(name), value=float(value), alone=float(alone), slack=float(slack),
        threshold=float(threshold or 0.0), given_up=float(given_up),
    )  # fmt: skip


def out_of_reach(name: str, threshold: float, best: float) -> Sentence:
    return Sentence.of(
        "the threshold {threshold} of {name} is out of reach: {best} is the most, given the levels above. The plan "
        "gets as near as it can.", threshold=float(threshold), name=Name(name), best=float(best),
    )  # fmt: skip


def mixture(shares: Sequence[float]) -> Sentence:
    told = joined([Sentence.of("{share}", share=Share(share)) for share in shares], last=" and ")
    return Sentence.of(
        "the values are averages: the plan leaves to chance which of {count} courses is taken ({shares} of the time). "
        "reading='deterministic' plans without chance.", count=len(shares), shares=told,
    )  # fmt: skip


def thresholds_per_state(
    name: str, value: float, better: float, above: Sequence[str], reading: str, random: bool
) -> Sentence:
    """That per-state thresholding is not optimal here, by how much, and why."""
    kept = "and the levels above still get what is enough for them" if above else "on the first level"
    why = (
        "It asks for the threshold again in every state, also where chance has already decided, while only the average "
        "from the start counts."
        if random
        else "It compares the threshold with what is still to come, and forgets what was gathered before."
    )
    return Sentence.of(
        "thresholds in each state are not the best plan here: {name} gets {value}, but {better} with "
        f"reading='{reading}', {kept}. {why}",
        name=Name(name), value=float(value), better=float(better),
    )  # fmt: skip


def unsettled() -> Sentence:
    return Sentence.of("thresholds in each state do not settle on one policy here: the actions go in circles.")


def headline(reading: str, objectives: Sequence[str], values: Sequence[float], horizon: int | None) -> Sentence:
    told = _told(objectives, values)
    steps = f"within {horizon:,} steps" if horizon is not None else "for ever, discounted"
    how = {
        "expectation": "on average", "deterministic": "without chance", "per-state": "with thresholds in each state",
    }[reading]  # fmt: skip
    return Sentence.of("the plan ({how}, {steps}) gets {told}.", how=how, steps=steps, told=told)


def winner(shares: Sequence[tuple[str, float, Sequence[float] | None]], circle: bool) -> list[Sentence]:
    """The mixture that nothing beats, alternatives with the largest shares first."""
    if not circle:
        ((name, _, spread),) = shares
        said = [Sentence.of("{name} is preferred to every other alternative, or as good.", name=Name(name))]
    else:
        said = [Sentence.of(
            "preferences go in circles: no alternative is preferred to all others. Chosen at random with these shares, "
            "nothing is preferred to the mixture."
        )]  # fmt: skip
    for name, share, spread in shares:
        told: list[Part] = [Name(name), f": {percent(share)}"]
        if spread is not None:
            told.append(f" (95 % interval {percent(float(spread[0]))} to {percent(float(spread[1]))})")
        if circle or spread is not None:
            said.append(Sentence(*told))
    return said


def in_objectives(objectives: Sequence[str], values: Sequence[float]) -> Sentence:
    return Sentence.of("in the environment's own objectives: {told}.", told=_told(objectives, values))


def _told(objectives: Sequence[str], values: Sequence[float]) -> Sentence:
    return joined([Sentence(Name(n), f" {number(float(v))}") for n, v in zip(objectives, values, strict=True)])


def followed(
    episodes: int, objectives: Sequence[str], means: Sequence[float], errors: Sequence[float]
) -> list[Sentence]:
    """What episodes brought, on average."""
    head = Sentence.of("mean over {count} episodes:", count=episodes)
    rows = [Sentence(Name(name), f": {rounded(mean, error)} (standard error {number(error, 2)})")
            for name, mean, error in zip(objectives, means, errors, strict=True)]  # fmt: skip
    return [head, *rows]


def preferred(probability: float, interval: tuple[float, float], at_least: float | None) -> Sentence:
    """Whether a better policy was found, and how sure the model is."""
    low, high = interval
    if low > 0.5:
        found = "a better policy was found"
    elif high < 0.5:
        found = "no better policy was found"
    else:
        found = "a policy was found that is about as good"
    sure = "" if at_least is None else "; under 95 % of the posterior it is at least {at_least}"
    return Sentence.of(
        found + ": according to the model it is preferred to the opponent with probability {probability} (95 % "
        "interval {low} to {high})" + sure + ".",
        probability=fine_percent(probability), low=fine_percent(low), high=fine_percent(high),
        at_least=fine_percent(at_least or 0.0),
    )  # fmt: skip


def off_policy(
    features: Sequence[str], means: Sequence[float], intervals: Sequence[Sequence[float]], probability: float | None,
    interval: tuple[float, float] | None, trusted: bool,
) -> list[Sentence]:  # fmt: skip
    """What a policy would bring, judged by recorded trajectories alone."""
    said = [
        Sentence(Name(name), f": {rounded(mean, (high - low) / 4)} (95 % interval {between((low, high))})")
        for name, mean, (low, high) in zip(features, means, intervals, strict=True)
    ]
    if probability is not None and interval is not None:
        low, high = interval
        said.append(Sentence.of(
            "its trajectories are preferred to the recorded ones with probability {share} (95 % interval {low} to "
            "{high}).",
            share=fine_percent(probability), low=fine_percent(low), high=fine_percent(high),
        ))  # fmt: skip
    if not trusted:
        said.append(Sentence.of(
            "NOT TRUSTED: replaying the recorded actions in the fitted world does not give what was recorded. Use a "
            "higher degree, or record what else the next state depends on."
        ))  # fmt: skip
    return said


def picture(first: str, second: str) -> Sentence:
    return Sentence.of(
        "what policies without chance reach of {first} and {second}, and the plan among them.",
        first=Name(first), second=Name(second),
    )  # fmt: skip


def how_levels_decide() -> Sentence:
    return Sentence.of(
        "policy and opponent are mean rewards of each level; differences that count decide, else the next level does. "
        "What is left after the last level is a coin's."
    )


def trajectories(objectives: Sequence[str]) -> Sentence:
    told = joined([Sentence(Name(name)) for name in objectives])
    return Sentence.of("what some episodes had brought after each step, of {told}.", told=told)


def _small(value: float) -> float:
    return ROUNDING * max(abs(value), 1.0)
