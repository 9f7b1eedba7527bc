"""What an observation consists of, and which rewards are linear, is known in one layer each.

Read from the source with `ast`. Wins, losses and ties of observations belong to `lori.data` and
`lori.model.likelihoods`: elsewhere counts come as one table in the order of the likelihood's outcomes. `linear` is
asked in `lori.model.likelihoods` alone, and what family a reward is of nowhere but in `lori.model.rewards`.

    anywhere else            is refused              is fine
    .wins  .losses           of anything             trade.losses: what is given up of a feature
    wins=  losses=           in any call
    "wins"  "losses"         as a string
    .ties                    of anything             the rule of a model: self.ties, model.ties, estimator.ties, …
    ties=                    in a call that makes    the rule: LORI(ties=…), OrderedModel.linear(…, ties=…)
                             preferences
    .linear  linear=         of anything             OrderedModel.linear(…), which makes a model
    isinstance(…, Linear)    for any family          isinstance(…, Reward)
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "lori"
COUNTS = {"wins", "losses"}
RULE_HOLDERS = {"self", "estimator", "model", "model_", "summary"}  # whose `ties` is the rule, a word
MAKERS = {"Preferences", "from_arrays", "from_indices"}
FAMILIES = {"Linear", "Capped", "Network", "Gated", "Function"}
HOME_OF_COUNTS = ("data/", "model/likelihoods/")
HOME_OF_LINEAR = ("model/likelihoods/",)
HOME_OF_FAMILIES = ("model/rewards/",)


def last_name(node: ast.AST) -> str:
    """a.b.c → c, c(…) → c: what the owner of an attribute or a function is called."""
    if isinstance(node, ast.Call | ast.Subscript):
        return last_name(node.func if isinstance(node, ast.Call) else node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """String constants but docstrings: statements that are nothing but a string."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node


def counts_of_observations(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what is named there) of wins, losses and ties of observations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = last_name(node.value)
            if node.attr in COUNTS and (owner, node.attr) != ("trade", "losses"):
                yield node.lineno, f"{owner}.{node.attr}"
            if node.attr == "ties" and owner not in RULE_HOLDERS:
                yield node.lineno, f"{owner}.ties"
        if isinstance(node, ast.Call):
            refused = COUNTS | ({"ties"} if last_name(node.func) in MAKERS else set())
            for keyword in node.keywords:
                if keyword.arg in refused:
                    yield node.lineno, f"{last_name(node.func)}({keyword.arg}=…)"
    for node in strings(tree):
        if node.value in COUNTS:
            yield node.lineno, repr(node.value)


def questions_for_linear(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what is asked there) where it matters whether rewards are linear."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "linear" and last_name(node.value) != "OrderedModel":
            yield node.lineno, f"{last_name(node.value)}.linear"
        if isinstance(node, ast.Call) and any(keyword.arg == "linear" for keyword in node.keywords):
            yield node.lineno, f"{last_name(node.func)}(linear=…)"


def questions_for_families(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what is asked there) where rewards are told apart by their family."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in ("isinstance", "issubclass"):
            asked = {last_name(part) for argument in node.args[1:] for part in ast.walk(argument)} & FAMILIES
            for name in sorted(asked):
                yield node.lineno, f"{last_name(node.func)}(…, {name})"


RULES = {
    "wins, losses and ties": (counts_of_observations, HOME_OF_COUNTS),
    "linear": (questions_for_linear, HOME_OF_LINEAR),
    "families of rewards": (questions_for_families, HOME_OF_FAMILIES),
}


def offenders(rule: str) -> list[str]:
    find, homes = RULES[rule]
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        path = file.relative_to(SOURCE).as_posix()
        if not path.startswith(homes):
            lines = find(ast.parse(file.read_text(encoding="utf-8")))
            found += [f"{path}:{line} {what}" for line, what in sorted(lines)]
    return found


@pytest.mark.parametrize("rule", RULES)
def test_nobody_else_knows(rule):
    found = offenders(rule)
    assert not found, "\n".join([f"{rule}, outside {' and '.join(RULES[rule][1])}:", *found])


# -- would a wrong module be seen? -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("total = preferences.wins.sum()", "preferences.wins"),
        ("total = self.preferences.losses", "preferences.losses"),
        ("n = by_agent()['1'].ties.sum()", "by_agent.ties"),
        ("n = seen.ties", "seen.ties"),
        ("n = self.sample.ties", "sample.ties"),
        ("x = Preferences.from_arrays(a, b, wins=c)", "from_arrays(wins=…)"),
        ("x = anything(losses=c)", "anything(losses=…)"),
        ("x = Preferences.from_indices(t, a, b, ties=c)", "from_indices(ties=…)"),
        ("x = getattr(preferences, 'wins')", "'wins'"),
        ("def f():\n    '''Docstring.'''\n    return {'losses': 1}", "'losses'"),
    ],
)
def test_an_observation_taken_apart_is_seen(text, what):
    assert [name for _, name in counts_of_observations(ast.parse(text))] == [what]


@pytest.mark.parametrize(
    "text",
    [
        "rule = self.ties",
        "rule = fit.model.ties",
        "rule = self.model_.ties",
        "model = LORI(ties='observed').copy(ties=rule)",
        "model = OrderedModel.linear(w, epsilon=e, ties='split')",
        "price = trade.losses[-1]",
        "counts = preferences.outcome_counts @ weights",
        "'''How many wins and losses there are: wins.'''",
        "text = f'ties: {rule}'",
        "wins = counts[:, 0]",
    ],
)
def test_the_rule_for_ties_and_other_losses_are_no_observations(text):
    assert list(counts_of_observations(ast.parse(text))) == []


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("if specification.linear: pass", ["specification.linear"]),
        ("fast = all(reward.linear for reward in rewards)", ["reward.linear"]),
        ("rows = Observations.of(preferences, linear=True)", ["of(linear=…)"]),
        ("model = OrderedModel.linear(weights, epsilon=e)", []),
        ("model = lori.OrderedModel.linear(weights, epsilon=e)", []),
        ("from lori.model.rewards.linear import Linear", []),
        ("class Mine(Reward):\n    linear: ClassVar[bool] = True", []),
    ],
)
def test_a_question_for_linear_is_seen(text, asked):
    assert [name for _, name in questions_for_linear(ast.parse(text))] == asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("isinstance(level.reward, Linear)", ["isinstance(…, Linear)"]),
        ("isinstance(reward, (rewards.Gated, Capped))", ["isinstance(…, Capped)", "isinstance(…, Gated)"]),
        ("isinstance(reward, Linear | Network)", ["isinstance(…, Linear)", "isinstance(…, Network)"]),
        ("isinstance(reward, Reward)", []),
        ("reward = Linear() if given is None else given", []),
    ],
)
def test_a_question_for_a_family_is_seen(text, asked):
    assert [name for _, name in questions_for_families(ast.parse(text))] == asked


@pytest.mark.parametrize("rule", RULES)
def test_the_homes_are_where_they_are_said_to_be(rule):
    """A rule whose home never does what it forbids elsewhere would not prove anything."""
    find, homes = RULES[rule]
    if rule == "families of rewards":
        assert all((SOURCE / home / f"{name.lower()}.py").exists() for home in homes for name in FAMILIES)
        return
    for home in homes:
        files = (SOURCE / home).rglob("*.py")
        assert any(list(find(ast.parse(file.read_text(encoding="utf-8")))) for file in files)
