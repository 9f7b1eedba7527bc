"""How are many agents' models shown side by side?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lori.estimators.lori import LORI

COLUMNS = ("agent", "first", "threshold", "95% interval", "then", "log-lik.", "last level", "notes")


def agents_table(fitted: dict[str, LORI]) -> str:
    """A row for each agent: what comes first, its threshold, what comes then, and whether that is supported."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for agent, model in fitted.items():
        rows.append(_row(agent, model.summary().to_dict()))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    total = sum(model.log_likelihood_ for model in fitted.values())
    lines.append(f"\n{len(fitted)} agents, summed log-likelihood {total:.2f}")
    shared = _shared_notes(fitted)
    return "\n".join([*lines, *shared])


def _row(agent: str, summary: dict[str, Any]) -> tuple[str, ...]:
    first, *rest = summary["levels"]
    lead = first["leading"][0] if first["leading"] else None
    threshold = first["thresholds"][lead] if lead and rest else {"value": None, "interval": None}
    interval = threshold["interval"]
    support, status = summary["support"], summary["status"]
    own = [] if status["converged"] else ["not converged"]
    own += [note["code"] for note in status["notes"] if note["code"] in ("separation", "one-sided", "unidentified")]
    return (
        agent,
        " and ".join(first["leading"]) or "–",
        "–" if threshold["value"] is None else f"{threshold['value']:.4g}",
        "–" if interval is None else f"{interval[0]:.4g} to {interval[1]:.4g}",
        ", then ".join(" and ".join(level["leading"]) or "–" for level in rest) or "–",
        f"{summary['log_likelihood']:.2f}",
        support["verdict"] if support else "–",
        ", ".join(dict.fromkeys(own)),
    )


def _shared_notes(fitted: dict[str, LORI]) -> list[str]:
    """Notes that hold for every agent are said once."""
    common = None
    for model in fitted.values():
        texts = [str(note) for note in model.status_.notes]
        common = texts if common is None else [text for text in common if text in texts]
    return [f"Note: {text}" for text in common or []]
