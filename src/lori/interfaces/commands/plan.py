"""`lori plan`, `lori prefer` and `lori rollout`: what should one do in an environment, and what does it bring?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lori.data.writing import check_targets
from lori.errors import InputError
from lori.interfaces.commands.console import print_json, shown, working
from lori.interfaces.commands.options import AsJson, Overwrite, Seed

EnvironmentName = Annotated[str, typer.Argument(metavar="ENV", help="A Gymnasium environment with a vector reward.")]
Objectives = Annotated[str | None, typer.Option(help="Names of the environment's objectives, with commas.")]
Discount = Annotated[float, typer.Option(help="Rewards of the next step count so much less; 1 for not at all.")]
Horizon = Annotated[int | None, typer.Option(help="Steps at most; as the environment has it where not given.")]


def plan(
    env: EnvironmentName,
    model: Annotated[Path | None, typer.Argument(help="A model whose features are objectives of ENV.")] = None,
    *,
    threshold: Annotated[
        list[str] | None, typer.Option(help="NAME=NUMBER: from where on more of an objective does not count.")
    ] = None,
    slack: Annotated[
        list[str] | None, typer.Option(help="NAME=NUMBER: how much less than the best is as good.")
    ] = None,
    order: Annotated[str | None, typer.Option(help="Objectives in order of priority, with commas.")] = None,
    reading: Annotated[str, typer.Option(help="expectation, deterministic or per-state.")] = "expectation",
    discount: Discount = 1.0,
    horizon: Horizon = None,
    objectives: Objectives = None,
    save: Annotated[Path | None, typer.Option(help="Write the policy (.json or .npz).")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about the plan (.html).")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """The best policy in an environment that can be listed, one level after the other."""
    check_targets([save, report], inputs=[model] if model else [], overwrite=overwrite)
    if model is not None and (threshold or slack or order):
        raise InputError(
            "MODEL", expected="either a model or --threshold, --slack and --order", got="both",
            fix="leave one out: a model brings its own order and thresholds",
        )  # fmt: skip
    from lori.policies.environments import make_environment
    from lori.policies.finite.mdp import FiniteMDP

    world = make_environment(env, objectives.split(",") if objectives else None)
    with working("exploring"):
        mdp = FiniteMDP.explore(world)
    steps = horizon if horizon is not None or discount < 1 else mdp.limit
    with working("planning"):
        found = _planned(mdp, model, threshold, slack, order, discount=discount, horizon=steps, reading=reading)
    if save is not None:
        found.policy.save(save)
    if report is not None:
        from lori.interfaces.report.plans import write_plan

        write_plan(found, env, report)
    if as_json:
        print_json(found.to_dict())
        return
    typer.echo(str(found))
    for path in (save, report):
        if path is not None:
            typer.echo(f"Wrote {shown(path)}")


def _planned(
    mdp: Any,
    model: Path | None,
    threshold: list[str] | None,
    slack: list[str] | None,
    order: str | None,
    **options: Any,
) -> Any:
    if model is not None:
        from lori.estimators.storage import load_ordered_model
        from lori.policies.finite.models import plan_for_model

        return plan_for_model(load_ordered_model(model), mdp, **options)
    from lori.policies.finite.lexicographic import plan_lexicographic

    names = list(mdp.objectives) if order is None else [name.strip() for name in order.split(",")]
    places = [_place(mdp, name, "--order") for name in names]
    limits, slacks = _numbers(mdp, threshold, "--threshold"), _numbers(mdp, slack, "--slack")
    return plan_lexicographic(
        mdp,
        [limits.get(name) for name in names],
        slack=[slacks.get(name, 0.0) for name in names],
        order=places,
        **options,
    )


def _numbers(mdp: Any, given: list[str] | None, option: str) -> dict[str, float]:
    numbers = {}
    for each in given or []:
        name, _, value = each.rpartition("=")
        _place(mdp, name, option)
        try:
            numbers[name] = float(value)
        except ValueError:
            raise InputError(option, expected="NAME=NUMBER", got=repr(each)[:60], fix="write, say, time=-20") from None
    return numbers


def _place(mdp: Any, name: str, option: str) -> int:
    if name not in mdp.objectives:
        raise InputError(
            option, expected=f"some of {', '.join(mdp.objectives)}", got=repr(name)[:60],
            fix="use these names, or give others with --objectives",
        )  # fmt: skip
    return mdp.objectives.index(name)


def prefer(
    env: EnvironmentName,
    model: Annotated[Path, typer.Argument(help="A model whose features are objectives of ENV.")],
    *,
    against: Annotated[
        str, typer.Option(help="What is done now: episodes (.npz of `lori rollout`), a policy (.json), or random.")
    ],
    discount: Discount = 1.0,
    horizon: Horizon = None,
    objectives: Objectives = None,
    seed: Seed = 0,
    search: Annotated[
        bool | None, typer.Option(help="Search among networks by trying, where states cannot be listed.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the policy (.json).")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about the policy (.html).")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """The policy whose episodes are most probably preferred to what is done now, by the whole model."""
    check_targets([save, report], inputs=[model, *([against] if against != "random" else [])], overwrite=overwrite)
    from lori.estimators.storage import load_ordered_model
    from lori.policies.environments import Episodes, Uniform, can_be_listed, make_environment
    from lori.policies.finite.mdp import FiniteMDP
    from lori.policies.policy import load_policy
    from lori.policies.preferred import prefer as preferred

    known = load_ordered_model(model)
    world = make_environment(env, objectives.split(",") if objectives else None)
    opponent: Any
    if against == "random":
        opponent = Uniform.of(world)
    else:
        opponent = load_policy(against) if against.endswith(".json") else Episodes.load(against)
    place = world
    if not search and (search is False or can_be_listed(world)):
        with working("exploring"):
            place = FiniteMDP.explore(world)
    with working("comparing policies"):
        found = preferred(known, place, opponent, discount=discount, horizon=horizon, seed=seed)
    if save is not None:
        found.policy.save(save)
    if report is not None:
        from lori.interfaces.report.plans import write_preferred
        from lori.policies.environments import totals_by_step

        followed = [each for each in (found.policy, opponent) if not isinstance(each, Episodes)]
        paths = [totals_by_step(world, each, discount=discount, horizon=horizon, seed=seed) for each in followed]
        write_preferred(found, known, env, paths, report)
    if as_json:
        print_json(found.to_dict())
        return
    typer.echo(str(found))
    for path in (save, report):
        if path is not None:
            typer.echo(f"Wrote {shown(path)}")


def rollout(
    env: EnvironmentName,
    policy: Annotated[str, typer.Argument(help="A policy saved by `lori plan --save`, or the word random.")],
    *,
    episodes: Annotated[int, typer.Option(min=1, help="How often the policy is followed.")] = 1000,
    discount: Discount = 1.0,
    horizon: Horizon = None,
    objectives: Objectives = None,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Write what each episode brought (.npz).")] = None,
    as_json: AsJson = False,
) -> None:
    """Follow a policy in an environment, and see what it brings on each objective."""
    check_targets([out], inputs=[] if policy == "random" else [policy], overwrite=True)
    from lori.language import plans
    from lori.policies.environments import Uniform, make_environment, run_episodes
    from lori.policies.policy import load_policy

    world = make_environment(env, objectives.split(",") if objectives else None)
    followed: Any = Uniform.of(world) if policy == "random" else load_policy(policy)
    if not (hasattr(followed, "act") or hasattr(followed, "chances_at")):
        raise InputError(
            "POLICY", expected="a policy for environments", got="one for simulators",
            fix="save one with: lori plan ENV --save policy.json",
        )  # fmt: skip
    with working("following the policy"):
        seen = run_episodes(world, followed, episodes=episodes, discount=discount, horizon=horizon, seed=seed)
    if out is not None:
        seen.save(out)
    means, errors = seen.means.tolist(), seen.standard_errors.tolist()
    if as_json:
        print_json(
            {"objectives": list(seen.objectives), "means": means, "standard_errors": errors, "episodes": episodes}
        )
        return
    for sentence in plans.followed(episodes, seen.objectives, means, errors):
        typer.echo(sentence)
    if out is not None:
        typer.echo(f"Wrote {shown(out)}")
