"""Reports of policies: pages with what each level got, what was possible around it, and what is done step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from lori.data.writing import writing
from lori.interfaces.figures.style import COLOURS, WIDTH, described, inline, new_figure, style
from lori.interfaces.report.rendering import _templates
from lori.language import plans
from lori.language.names import html_name, label
from lori.language.sentence import Sentence
from lori.model.ordered import OrderedModel
from lori.policies.finite.lexicographic import LexicographicPlan
from lori.policies.finite.models import columns_of
from lori.policies.finite.preferred import PreferredPlan

MOST_ROWS = 60  # of the table of steps
MOST_PAIRS = 20_000  # of episodes that tell how often each level decides
SAID = 0.05  # share of a level's weight from which on an objective is named


def write_plan(plan: LexicographicPlan, env: str, path: Path) -> None:
    """One page that opens offline."""
    page = _templates(True).get_template("plan.html")
    text = page.render(
        plan=plan, env=env, headline=plans.headline(plan.reading, plan.objectives, plan.values.tolist(), plan.horizon),
        picture=_picture(plan), steps=_steps(plan), say=_say, name=html_name,
    )  # fmt: skip
    _write(path, text)


def write_preferred(
    found: PreferredPlan, model: OrderedModel, env: str, paths: list[list[np.ndarray]], path: Path
) -> None:
    """One page about a policy and its opponent. `paths` are totals so far (steps + 1, objectives) of some episodes of
    the policy, then of the opponent, where there are any."""
    ours, theirs = found.returns.mean(axis=0), found.opponents.mean(axis=0)
    rows = [
        {"objective": name, "ours": float(one), "theirs": float(other)}
        for name, one, other in zip(found.objectives, ours, theirs, strict=True)
    ]
    page = _templates(True).get_template("preferred.html")
    text = page.render(
        found=found, env=env, levels=_levels(found, model), objectives=rows, reading=plans.how_levels_decide(),
        picture=_trajectories(found.objectives, paths), say=_say, name=html_name,
    )  # fmt: skip
    _write(path, text)


def _levels(found: PreferredPlan, model: OrderedModel) -> list[dict[str, object]]:
    """The mean reward of each level on both sides, and how often it decides between two episodes."""
    columns = columns_of(model, found.objectives)
    ours, theirs = found.returns[:, columns], found.opponents[:, columns]
    generator = np.random.default_rng(0)
    left, right = (side[generator.integers(len(side), size=min(MOST_PAIRS, 4 * len(side)))] for side in (ours, theirs))
    count = min(len(left), len(right))
    told = model.decisions(left[:count], right[:count])
    decides = (told.left + told.right).mean(axis=0)
    rewards = model.rewards(ours).mean(axis=0), model.rewards(theirs).mean(axis=0)
    rows: list[dict[str, object]] = []
    for place, level in enumerate(model.levels):
        shares = np.abs(level.slopes) / max(float(np.abs(level.slopes).sum()), 1e-300)
        rows.append({
            "about": [name for name, share in zip(model.features, shares, strict=True) if share > SAID],
            "ours": float(rewards[0][place]), "theirs": float(rewards[1][place]), "epsilon": level.epsilon,
            "decides": float(decides[place]),
        })  # fmt: skip
    return rows


def _trajectories(objectives: tuple[str, ...], paths: list[list[np.ndarray]]) -> object:
    """A panel for each objective: what some episodes had brought after each step."""
    looks = [("the policy", COLOURS[0], "-"), ("the opponent", COLOURS[5], "--")]
    with style():
        drawn = Figure(figsize=(WIDTH, 0.8 + 1.5 * len(objectives)), layout="constrained")
        panels = drawn.subplots(len(objectives), 1, sharex=True, squeeze=False)[:, 0]
        for (who, colour, line), own in zip(looks, paths, strict=False):
            for number, totals in enumerate(own):
                for place, axes in enumerate(panels):
                    axes.plot(totals[:, place], color=colour, linestyle=line, alpha=0.6, label=None if number else who)
        for axes, objective in zip(panels, objectives, strict=True):
            axes.set_ylabel(label(objective))
        panels[-1].set_xlabel("step")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return inline(described(drawn, plans.trajectories(objectives)), "trajectories")


def _write(path: Path, text: str) -> None:
    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _say(sentence: str) -> object:
    return sentence.html() if isinstance(sentence, Sentence) else sentence


def _picture(plan: LexicographicPlan) -> object:
    """The first two levels: what is possible, and the plan."""
    if len(plan.levels) < 2 or len(plan.front) < 2:
        return None
    first, second = (plan.objectives.index(level.objective) for level in plan.levels[:2])
    with style():
        drawn, (axes,) = new_figure(3.2)
        axes.scatter(plan.front[:, first], plan.front[:, second], color=COLOURS[4], label="policies without chance")
        axes.scatter(*plan.values[[first, second]], color=COLOURS[0], marker="D", label="the plan")
        threshold = plan.levels[0].threshold
        if threshold is not None and np.isfinite(threshold):
            axes.axvline(threshold, color="black", linewidth=1, linestyle="--", label="enough")
        axes.set_xlabel(label(plan.objectives[first]))
        axes.set_ylabel(label(plan.objectives[second]))
        drawn.legend(loc="outside upper left", ncols=3)
    return inline(described(drawn, plans.picture(plan.objectives[first], plan.objectives[second])), "front")


def _steps(plan: LexicographicPlan) -> list[dict[str, object]]:
    """What is done where: the first rows of the policy."""
    policy = plan.policy
    rows: list[dict[str, object]] = []
    for row in range(min(len(policy.chances), MOST_ROWS)):
        taken = [(policy.actions[a], float(p)) for a, p in enumerate(policy.chances[row]) if p > 1e-9]
        place = policy.observations[row] if policy.observations.shape[1] else [policy.states[row]]
        step = int(policy.steps[row])
        rows.append({
            "step": "any" if step < 0 else step + 1, "place": ", ".join(f"{float(value):g}" for value in place),
            "taken": "; ".join(f"{action} ({chance:.0%})" if chance < 1 - 1e-9 else action for action, chance in taken),
        })  # fmt: skip
    return rows
