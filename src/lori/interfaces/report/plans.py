"""Report of a plan: a page with what each level got, what was possible around it, and what is done step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lori.data.writing import writing
from lori.interfaces.figures.style import COLOURS, described, inline, new_figure, style
from lori.interfaces.report.rendering import _templates
from lori.language import plans
from lori.language.names import html_name, label
from lori.language.sentence import Sentence
from lori.policies.finite.lexicographic import LexicographicPlan

MOST_ROWS = 60  # of the table of steps


def write_plan(plan: LexicographicPlan, env: str, path: Path) -> None:
    """One page that opens offline."""
    page = _templates(True).get_template("plan.html")
    text = page.render(
        plan=plan, env=env, headline=plans.headline(plan.reading, plan.objectives, plan.values.tolist(), plan.horizon),
        picture=_picture(plan), steps=_steps(plan), say=_say, name=html_name,
    )  # fmt: skip
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
