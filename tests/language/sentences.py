"""Every sentence that results can produce, from results made by hand: the generator of tests/golden/sentences.txt.

`python tests/language/sentences.py` rewrites the file, to be read through whenever a wording changes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import lori
from lori.data.reading.record import Reading
from lori.evaluation.checks import Check, Group, RareChoices, Surprise
from lori.evaluation.favourites import SetSurprise
from lori.evaluation.metrics import Reliability
from lori.evaluation.overview import Description, known
from lori.evaluation.selection import Candidate, Selection, _recommendation
from lori.evaluation.set_landscapes import SetLandscape, Survival
from lori.evaluation.tradeoffs import Landscape, TradeOff
from lori.inference.explanation import Explanation
from lori.inference.posterior.draws import Trust
from lori.inference.posterior.order import PriorityOrder
from lori.interfaces.figures import calibration, ladder, posterior, sets, tradeoff, trajectories
from lori.interfaces.report import sentences as report
from lori.interfaces.report.content import Quality
from lori.language import interview, methods, plans
from lori.language import notes as verdicts
from lori.language.answer import enough_sentence, many_levels, open_questions, search_sentence
from lori.language.methods import MethodComparison, MethodScore
from lori.language.notes import CATALOGUE, Note, note_sentences
from lori.language.populations import (
    ClassSummary,
    PopulationSummary,
    advantage_sentence,
    candidate_name,
    class_heading,
    left_out_sentence,
    lexicographic_sentence,
    members_caption,
    question,
    selection_reason,
)
from lori.language.reading import description, folder_remark
from lori.language.results import CapInFeature, LevelSummary, NestedFit, Status, Summary, Support
from lori.language.truth import comparison
from lori.language.worth import LevelWorth, Worth
from lori.model.quantity import Quantity
from lori.model.rewards import Fact
from lori.model.rewards.function import Parameters
from lori.model.rewards.gated import Gate
from lori.model.rewards.steps import PerStep

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "sentences.txt"
LETTERS = ("cost", "time", "noise", "need", "benefit", "risk", "age", "dose", "mass", "heat", "rain", "dust")
LEAST = Quantity.of(62.5649, 6.99, positive=True)
WORTH = Worth("cost", (LevelWorth(1, {"need": Quantity.of(16.732, 2.31)}), LevelWorth(2, {})))
SLOTS = {
    "one-sided": {"side": "left"}, "identical": {"share": 0.0075}, "constant": {"feature": "need"},
    "collinear": {"features": ("need", "benefit", "age")}, "rare optimum": {"starts": 48},
    "unidentified, one": {"parameters": ("level 1: weight of need",)},
    "unidentified, several": {"parameters": ("level 1: weight of need", "level 2: threshold")},
    "cap": {"level": 1, "share": 0.003}, "never decides": {"level": 2, "share": 0.0002}, "no threshold": {"level": 1},
    "extreme, one": {"feature": "need"}, "extreme, several": {"feature": "need", "count": 12},
    "beyond the data": {"level": 2}, "shared out": {"features": ("need", "benefit")}, "people": {"level": "a second"},
}  # fmt: skip


def level(
    place: int = 1,
    leading: tuple[str, ...] = ("need",),
    least: Quantity = LEAST,
    weight: Quantity | None = None,
    features: tuple[str, ...] = ("benefit", "need"),
    **changes,
) -> LevelSummary:
    """A linear level; `least` is the threshold of what leads it."""
    own = weight or Quantity.of(0.0445, 0.0053)
    ahead = {name: 0.95 / max(len(leading), 1) for name in leading}
    none, spread = Quantity(None), 0.5 if least.value else np.nan
    return LevelSummary(
        level=place, reward="linear", leading=leading, decides=changes.pop("decides", 0.588),
        importance={name: ahead.get(name, 0.05 if leading else 0.0) for name in features},
        weights={name: own if name in leading else Quantity(0.0) for name in features},
        epsilon=Quantity.of((least.value or 0.0) * abs(own.value or 0.0), spread, positive=True), alpha=Quantity(1.0),
        thresholds={name: least if name in leading else none for name in features}, **changes,
    )  # fmt: skip


def summary(*levels: LevelSummary, **changes) -> Summary:
    """A summary of these levels; two by default, of which the second is supported."""
    zero = Quantity(0.0)
    own = levels or (level(), level(2, ("benefit",), zero, Quantity.of(-0.02, 0.004), decides=0.412))
    count = len(own)
    steps = tuple(NestedFit(i + 1, -170.7 - 21.4 * (count - 1 - i), 3 * i + 2, 9.9) for i in range(count))
    support = Support(count, 21.4, 3, 30.0, "supported", count) if count > 1 else None
    made = Summary(
        features=tuple(own[0].weights), ties="split", levels=own, undecided_share=0.0, log_likelihood=-170.707,
        comparisons=600, pairs=600, by_levels=steps,
        support=support, status=Status(True, 48, 0.29),
    )  # fmt: skip
    return replace(made, **changes)


def supported(count: int, verdict: str, gain: float = 1.2, recommended: int | None = None) -> Support:
    return Support(
        count, gain, 3, -2.0 if "weak" in verdict else 0.0, verdict, count if recommended is None else recommended
    )


def differing(count: int) -> Support:
    return Support(count, 21.4, 3, 30.0, "differences between people", count - 1, 318.2, 2, -570.0)


def gate(below: str = "need", above: str = "benefit", contexts: tuple[str, ...] = ("age",)) -> Gate:
    weights = {"need": Quantity.of(0.5, 0.1), "benefit": Quantity.of(0.02, 0.06)}
    slopes = {name: Quantity.of(0.9, 0.2) for name in contexts}
    half = 40.96 if len(contexts) == 1 else None
    return Gate(weights, weights, Quantity(-36.9), slopes, {"closed": below, "opened": above}, half)


class Temper:
    """What rewards from outside the package may tell about themselves."""

    key = "temper"

    def to_dict(self) -> dict:
        return {"heat": 3.0}

    def facts(self) -> tuple[Fact, ...]:
        return (Fact("{name} counts double above {heat}", {"name": "heat"}, {"heat": Quantity(3.0)}),)

    details = facts


def several(count: int) -> Summary:
    """So many levels, each led by another feature."""
    levels = [
        level(
            i + 1, (LETTERS[i],), LEAST if i < count - 1 else Quantity(0.0), features=LETTERS[:count], decides=1 / count
        )
        for i in range(count)
    ]
    return summary(*levels)


def explained(
    probabilities, decides, flips, nobody: float = 0.0, context: frozenset[str] = frozenset(), **words
) -> str:
    """One pair with two features; `words` are the file's for the outcomes."""
    table = np.array([decides])
    return Explanation(
        ("need", "age"), np.array([probabilities]), table, np.zeros_like(table), np.array([nobody]), np.array([flips]),
        context,
    ).called(words).describe()  # fmt: skip


def candidates(*evidence: float, trusted: tuple[bool, ...] = (), held_out: float = -0.3) -> list[Candidate]:
    return [
        Candidate(i + 1, own, 0.05, all(trusted[i : i + 1]), np.full(200, held_out - 0.01 * i), None)  # type: ignore[arg-type]
        for i, own in enumerate(evidence)
    ]


def a_posterior(trusted: bool = True, notes: tuple[Note, ...] = ()) -> SimpleNamespace:
    order = PriorityOrder({("need", "benefit"): 0.97, ("benefit", "need"): 0.03}, "feature", 500.0)
    trust = Trust(trusted, verdicts.corrected(1, 500) if trusted else verdicts.not_gaussian(2, 30, 1000))
    units = SimpleNamespace(specification=SimpleNamespace(levels=2))
    return SimpleNamespace(trust=trust, units=units, notes=notes, order=lambda: order)


def sections() -> dict[str, list[str]]:
    """Heading → what can be said under it."""
    return {
        **_answers(), **_open(), "Notes": [str(note) for note in notes()], **_many_notes(), **_explanations(),
        **_posteriors(), **_selections(), **_populations(), **_report(), **_captions(), **_readings(), **_plans(),
        **_methods(), **_interviews(),
    }  # fmt: skip


def _methods() -> dict[str, list[str]]:
    scores = (
        MethodScore("Gaussian process", "cardinal", 0.5012, 0.0101, 0.751, 12.3, 0.0312, 0.0061, methods.BETTER),
        MethodScore("LORI", "lexicographic", 0.5324, 0.0112, 0.733, 3.41, verdict=methods.EQUAL),
        MethodScore("T-REX", "one reward", 0.5381, 0.0106, 0.731, 0.21, -0.0057, 0.0035, methods.EQUAL),
        MethodScore("model voting", "ordinal", 0.6253, 0.0094, 0.661, 0.32, -0.0929, 0.0073, methods.WORSE),
        MethodScore("CP-net", "ordinal", reason="features: expected fewer, got 20; select some."),
    )
    people = MethodComparison("LORI", scores, 2929, 2929, "pair", 5, 235, 0.6931, 2.498)
    return {
        "Methods": str(people).splitlines(),
        "Methods: sets, one rival": list(
            methods.sentences(replace(people, scores=scores[1:3], kind="set", agents=None, coin=1.0986, within=1.96))
        ),
        "Methods: a study": [
            methods.lost_sentence("cancer", [("Gaussian process", 0.1891, 0.0936), ("T-REX", 0.2, 0.0827)], 0.2827),
            methods.no_loss_sentence("thresholds", 0.186),
            methods.no_loss_sentence("single features, no noise", 0.0, "LORI with single features"),
        ],
    }


def _plans() -> dict[str, list[str]]:
    spread = (0.1, 0.4)
    return {
        "Plans": [
            plans.headline("expectation", ["treasure", "time"], [20.0, -3.78], 60),
            plans.headline("deterministic", ["treasure", "time"], [24.0, -13.0], None),
            plans.headline("per-state", ["treasure"], [24.0], 1000),
            plans.level_got(1, "treasure", 24.0, 20.0, 124.0),
            plans.level_got(2, "time", -13.0, None, -1.0),
            plans.level_got(1, "treasure", 124.0, 200.0, 124.0, slack=5.0),
            plans.out_of_reach("treasure", 200.0, 124.0),
            plans.mixture([0.846, 0.154]),
            plans.thresholds_per_state("time", -20.0, -15.0, ["success"], "deterministic", True),
            plans.thresholds_per_state("time", -20.0, -15.0, [], "expectation", False),
            plans.unsettled(),
            *plans.off_policy(["wbc"], [4.81], [(4.7, 4.9)], 0.741, (0.72, 0.76), False),
            plans.preferred(0.854, (0.843, 0.865), None),
            plans.preferred(0.51, (0.49, 0.53), 0.48),
            plans.preferred(0.4, (0.38, 0.42), None),
            plans.in_objectives(["treasure", "time"], [24.0, -13.0]),
            plans.picture("treasure", "time"),
            plans.how_levels_decide(),
            plans.trajectories(["treasure", "time"]),
            *plans.followed(1000, ["treasure", "time"], [20.1, -3.81], [1.41, 0.2]),
            *plans.winner([("need", 1.0, None)], False),
            *plans.winner([("need", 0.493, None), ("age", 0.507, None)], True),
            *plans.winner([("need", 1.0, (0.3, 1.0))], False),
            *plans.winner([("need", 0.6, spread), ("age", 0.4, spread)], True),
        ]
    }


def _interviews() -> dict[str, list[str]]:
    """What the pages of an interview say."""
    slots = {"number": 3, "most": 20, "first": "need", "then": "benefit", "share": "97 %", "answers": 120}
    results = ((("need",), 0.9), (("need", "benefit"), 0.97), (("need", "cost", "age"), 1.0), (("a",), 0.3))
    return {
        "Interview: pages": [own.format_map(slots) for own in interview.TEXTS.values()],
        "Interview: results": [str(interview.result_sentence(*own)) for own in results],
        "Interview: administration": [own.format_map(slots) for own in interview.ADMIN.values()],
        "Interview: command": [
            interview.TOKEN.format(token="TOKEN"), interview.ADDRESSES.format(address="http://127.0.0.1:8000"),
            interview.TLS, interview.WROTE.format(path="study.toml"),
        ],
    }  # fmt: skip


def notes() -> list[Note]:
    made = []
    for key in CATALOGUE:
        code, _, variant = key.partition(", ")
        made.append(Note(code, SLOTS.get(key, {}), variant))
    return made


def _many_notes() -> dict[str, list[str]]:
    constant = [Note("constant", {"feature": name}) for name in LETTERS]
    features = tuple(f"{first} of {second}" for first in LETTERS[:5] for second in LETTERS[:5])
    return {
        "Notes: many of one kind": list(
            map(str, note_sentences([*constant, Note("collinear", {"features": features})]))
        )
    }


def _answers() -> dict[str, list[str]]:
    zero, unknown = Quantity(0.0), Quantity.of(0.0007, 0.0014)
    both = ("need", "benefit")
    capped = {"cap": Quantity.of(1.2, 0.1), "cap_reached": 0.2}
    less = replace(level(weight=Quantity.of(-0.05, 0.005)), **capped, cap_in_feature=CapInFeature("need", 5.0))
    said = {
        "one level, every difference counts": summary(level(least=zero)),
        "one level, one feature": summary(level(least=zero, features=("need",))),
        "one level with a threshold": summary(level()),
        "one level, threshold without an interval": summary(level(least=Quantity(62.5649))),
        "one level, two leaders": summary(level(leading=both)),
        "one level, two leaders of three": summary(level(leading=both, features=("age", *both))),
        "one level, threshold may be zero": summary(level(least=Quantity.of(19.2, 12.2, positive=True))),
        "one level, weight may be zero": summary(level(weight=unknown)),
        "one level, nothing leads": summary(level(leading=())),
        "one level, take the best": summary(level(least=zero, outweighs=("need",))),
        "one level, take the best of three": summary(level(least=zero, features=("age", *both), outweighs=both)),
        "one level with a gate": summary(level(least=zero, particulars=gate())),
        "one level with a gate, the same on both sides": summary(level(particulars=gate(above="need"))),
        "one level with a gate of two context features": summary(level(particulars=gate(contexts=("age", "risk")))),
        "one level with a cap": summary(replace(level(), **capped, cap_in_feature=CapInFeature("need", 250.0))),
        "one level of capped steps": summary(
            level(particulars=PerStep({"need": Quantity(0.25)}, Quantity(5.0), 0.9, "need"))
        ),
        "one level of steps by a network": summary(level(particulars=PerStep({}, None, 1.0))),
        "one level of a reward from outside": summary(level(particulars=Temper())),
        "two levels": summary(),
        "two levels, two leaders each": summary(
            level(leading=both), level(2, both, zero, Quantity.of(-0.02, 0.004), decides=0.412)
        ),
        "two levels, the second of two leaders in doubt": summary(
            replace(level(leading=both), weights={"benefit": unknown, "need": Quantity.of(0.0445, 0.0053)}), level(2)
        ),
        "two levels, supported although people differ": summary(
            support=replace(supported(2, "supported", 21.4), rival_gain=1.2, rival_parameters=3)
        ),
        "two levels, the first without a threshold": summary(level(least=zero, decides=1.0), level(2, decides=0.0)),
        "two levels, thresholds not known": summary(
            level(least=Quantity.of(19.2, 12.2, positive=True)), level(2, ("benefit",), weight=unknown, decides=0.341)
        ),
        "two levels, both with thresholds; ties split": summary(
            level(), level(2, ("benefit",), Quantity.of(53.2, 11.0), decides=0.341), undecided_share=0.071
        ),
        "ties observed": summary(ties="observed", undecided_share=0.071),
        "nothing is ever decided": summary(undecided_share=1.0),
        "sets": summary(sets=True, undecided_share=0.071),
        "sets, ties observed": summary(sets=True, ties="observed", undecided_share=0.071),
        "two levels, the first without leaders": summary(level(leading=()), level(2)),
        "a cap from above": summary(replace(level(), **capped, cap_in_feature=CapInFeature("need", 250.0)), level(2)),
        "a cap from below": summary(less, level(2, ("benefit",))),
        "gates on two levels": summary(
            level(particulars=gate()), level(2, ("benefit",), zero, particulars=gate("benefit", "need"))
        ),
        "two levels, weakly supported": summary(support=supported(2, "weakly supported", 4.8)),
        "two levels, not supported": summary(support=supported(2, "not supported", recommended=1)),
        "two levels, not supported, nothing else recommended": summary(support=supported(2, "not supported", 0.0)),
        "two levels, not supported, the second without leaders": summary(
            level(leading=("need", "benefit")), level(2, ()), support=supported(2, "not supported", recommended=1)
        ),
        "two levels, not supported, no leaders at all": summary(
            level(leading=()), level(2, ()), support=supported(2, "not supported", recommended=1)
        ),
        "two levels, people differ": summary(support=differing(2)),
        "slips": summary(lapse=Quantity(0.0107, 0.009, (0.0, 0.0468))),
        "slips, one level": summary(level(), lapse=Quantity(0.0874, 0.021, (0.0512, 0.1326))),
        "slips, hardly any": summary(lapse=Quantity(0.0, 0.003, (0.0, 0.0081))),
        "slips, hardly any, no interval": summary(lapse=Quantity(0.004)),
        "slips, no interval": summary(lapse=Quantity(0.0107)),
        "slips, next to none": summary(lapse=Quantity(0.0002, 0.004, (0.0, 0.025))),
        "slips, second level not supported": summary(
            support=supported(2, "not supported", recommended=1), lapse=Quantity(0.052, 0.02, (0.0004, 0.0968))
        ),
        "three levels": several(3),
        "three levels, not supported": replace(several(3), support=supported(3, "not supported", recommended=2)),
        "twelve levels": several(12),
        "thirteenth of many, weakly supported": replace(several(12), support=supported(13, "weakly supported", 3.9)),
    }
    answers = {f"Answer: {heading}": list(map(str, made.sentences)) for heading, made in said.items()}
    return answers | {
        "Search": [
            str(search_sentence(Status(*each)))
            for each in ((True, 48, 0.29), (True, 48, 1.0), (False, 48, 0.005), (True, 1, 1.0))
        ],
        "Table: two levels": str(summary()).splitlines(),
        "Table: slips": str(summary(level(), lapse=Quantity(0.0107, 0.009, (0.0, 0.0468)))).splitlines(),
        "Table: slips, no interval": str(summary(level(), lapse=Quantity(0.0107))).splitlines(),
        "Table: a function with parameters": str(
            summary(
                level(particulars=Parameters({"parameter 1": Quantity.of(1.52, 0.21), "parameter 2": Quantity(3.0)}))
            )
        ).splitlines(),
        "Table: numbers that are not known, a cap and a gate": str(
            replace(
                summary(
                    replace(level(weight=unknown), **capped, cap_in_feature=CapInFeature("need", 250.0)),
                    level(2, ("benefit",), Quantity.of(19.2, 12.2, positive=True), particulars=gate()),
                ),
                status=Status(False, 1, 1.0, (Note("not converged"),)),
            )
        ).splitlines(),
    }


def _open() -> dict[str, list[str]]:
    made = summary(
        level(leading=("need", "benefit"), least=Quantity(62.5)),
        level(2, ("benefit",), Quantity.of(19.2, 12.2, positive=True), decides=0.3),
        level(3, ("need",), weight=Quantity.of(0.0007, 0.0014), decides=0.1),
        support=supported(3, "not supported", recommended=1),
        status=Status(False, 48, 0.0, (Note("not converged"),)),
    )
    people = summary(support=differing(2))
    return {"What remains open": [str(sentence) for each in (made, people) for sentence in open_questions(each)]}


def _explanations() -> dict[str, list[str]]:
    nan = float("nan")
    return {
        "Explanations": [
            explained([0.97, 0.0, 0.03], [0.94, 0.05], [-80.36, nan], 0.01),
            explained([0.18, 0.0, 0.82], [0.17, 0.63], [0.05776, -12.34], 0.2),
            explained([0.9995, 0.0, 0.0005], [0.9994, 0.0006], [nan, nan]),
            explained([0.7, 0.0, 0.3], [0.9, 0.1], [-4.2, 4.307], context=frozenset(["age"])),
            explained([0.30, 0.45, 0.25], [0.3, 0.25], [-1.5, nan], 0.45),
            explained([0.30, 0.45, 0.25], [0.3, 0.25], [-1.5, nan], 0.45, left="Medicine A", tie="No preference"),
            explained([0.50, 0.30, 0.20], [0.4, 0.3], [-1.5, nan], 0.3),
            explained([0.5, 0.0, 0.5], [0.0, 0.0], [-1e-3, nan], 1.0),
        ]
    }


def _posteriors() -> dict[str, list[str]]:
    orders = [
        PriorityOrder({("need", "benefit"): 0.97, ("benefit", "need"): 0.03}, "feature", 500.0),
        PriorityOrder({("need", "benefit"): 1.0}, "feature", 500.0),
        PriorityOrder({("need",): 0.6, ("benefit",): 0.396, ("age",): 0.004}, "feature", 500.0),
        PriorityOrder({("reward 1", "reward 2"): 0.8, ("reward 2", "reward 1"): 0.2}, "reward", 500.0),
        PriorityOrder({("need", "need"): 0.7, ("need", "benefit"): 0.2, ("benefit", "need"): 0.1}, "feature", 500.0),
    ]
    return {
        "Order of the objectives": [str(sentence) for order in orders for sentence in order.sentences()],
        "Verdicts on posteriors": [
            verdicts.unchecked(), verdicts.gaussian(1), verdicts.gaussian(3), verdicts.corrected(1, 263.4),
            verdicts.corrected(2, 1000.0), verdicts.not_gaussian(1, 31.0, 1000), verdicts.not_gaussian(3, 1.0, 1000),
            verdicts.unfinished(), verdicts.populations_disagree(1.21), verdicts.populations_agree(1.01),
            verdicts.chains_mixed(1.01, 2310.0, 0), verdicts.chains_not_mixed(1.34, 57.0, 1),
            verdicts.chain_mixed(1.004, 480.0), verdicts.chain_not_mixed(1.3, 12.0),
        ],
    }  # fmt: skip


def _selections() -> dict[str, list[str]]:
    kept = candidates(-230.0, -200.0, -204.0, trusted=(True, True, False))
    number, verdict, reason = _recommendation(kept)
    order = PriorityOrder({("need", "benefit"): 0.97, ("benefit", "need"): 0.03}, "feature", 500.0)
    kept = [replace(own, posterior=SimpleNamespace(order=lambda: order)) for own in kept]
    return {
        "Number of levels: reasons": [
            _recommendation(own)[2]
            for own in (
                candidates(-200.0),
                candidates(-200.0, -210.0),
                candidates(-200.0, -198.0),
                candidates(-200.0, -200.4),
                candidates(-200.0, -200.01),
                candidates(-230.0, -200.0),
                candidates(-230.0, -200.0, -204.0),
                candidates(-230.0, -200.0, -199.5),
                candidates(-230.0, -215.0, -200.0, -205.0),
                candidates(-205.0, -200.0, -209.0, trusted=(False, True, False)),
                candidates(-200.0, -205.0, trusted=(False, True)),
                candidates(-203.1, -200.0),
                candidates(*(-300.0 + 5 * i for i in range(12))),
            )
        ],
        "Number of levels: table": str(
            Selection(tuple(kept), number, verdict, reason, "5-fold cross-validation")
        ).splitlines(),
    }


def _populations() -> dict[str, list[str]]:
    """What is said of kinds of people, of people who differ, and of how many kinds there are."""

    def of(*classes: ClassSummary, **changes) -> PopulationSummary:
        fields = {"agents": 120, "comparisons": 2400, "log_likelihood": -1234.5, "parameters": 20, "bic": 2624.6}
        fields |= {"converged": True, "spread": False, "first": {"need": 0.62, "benefit": 0.38}, "sure": 0.871}
        return PopulationSummary(classes, **{**fields, **changes})

    first, second = level(1, decides=0.6), level(2, ("benefit",), decides=0.4)
    ordered = ClassSummary(0.383, summary(first, second), careless=False)
    small = ClassSummary(0.212, summary(replace(first, epsilon=Quantity.of(0.0, 0.0)), second), careless=False)
    trading = ClassSummary(0.405, summary(first), careless=False)
    careless, nothing = replace(trading, careless=True), ClassSummary(0.405, summary(level(1, ())), careless=False)
    rare = replace(trading, share=0.002, empty=True)
    lead = selection_reason("two classes, two levels", 12.34, None)
    return {
        "A population in classes": [str(own) for own in of(ordered, small, trading).sentences],
        "A population with people who answer at random, and with those who care about nothing": [
            str(own) for own in of(ordered, careless, nothing, converged=False).sentences
        ],
        "A population with an empty class": [str(own) for own in of(ordered, rare).sentences],
        "A population with empty classes": [str(own) for own in of(ordered, rare, rare).sentences],
        "People who differ": [str(own) for own in of(replace(ordered, share=1.0), spread=True).sentences],
        "People who differ, in classes": [
            *(str(own) for own in of(trading, ordered, spread=True).sentences),
            class_heading(2, ordered, spread=True),
            *(str(lexicographic_sentence(share, gain, 5.0)) for share, gain in ((0.0, 1.2), (0.42, 12.3))),
        ],
        "Report of a population": [
            *(str(question(own, seed=0)) for own in (of(ordered, small), of(ordered), of(trading, spread=True))),
            class_heading(2, small),
            class_heading(3, rare),
            class_heading(1, replace(ordered, share=1.0), spread=True),
            str(left_out_sentence(590, 235)),
            *(str(advantage_sentence("one model for all", gain, 0.03)) for gain in (0.12, 0.02, -0.12)),
            *(
                str(members_caption([[0.95, 0.05], [0.6, 0.4]], ["need", "benefit"], spread=own))
                for own in (True, False)
            ),
            str(members_caption([[0.5, 0.5]], ["class 1", "class 2"], spread=False)),
        ],
        "How many classes": [
            lead,
            selection_reason("people who differ, one level", 3.21, "people who differ, two levels"),
            candidate_name(1, 2, False),
        ],
    }


def _report() -> dict[str, list[str]]:
    templates = ROOT / "src" / "lori" / "interfaces" / "report" / "templates"
    pages = ("page.html", "parts.html", "report.html", "population.html")
    page = "".join((templates / name).read_text(encoding="utf-8") for name in pages)
    code = (templates.parent / "content.py").read_text(encoding="utf-8")
    headings = re.findall(r"<(?:h2|th scope=\"col\")>([^<{]+)<", page) + re.findall(
        r'\("([^"]+)", (?:model|known)', code
    )
    shared_out = (Note("shared out", SLOTS["shared out"]), Note("order by prior"))
    pair = {"left": {"need": 1.0}, "right": {"need": 2.0}}
    liked = {"favourite": "tram", "favourite_probability": 0.6}
    data = Description(600, 600, 0, 0, None, False, ())
    quality = Quality(5, 600, -0.3, 0.8, -0.35, 0.7, 0.0213, 0.0071)
    return {
        "Report: headings": list(dict.fromkeys(headings)),
        "Report: question": [
            str(report.question(made, prior=prior, seed=0))
            for made, prior in (
                (summary(), True),
                (summary(level(features=("need",)), ties="observed"), False),
                (replace(several(12), ties="printed", status=Status(True, 1, 1.0)), True),
            )
        ],
        "Report: statistics": [
            str(report.statistics(own))
            for own in (summary(), replace(summary(), null_log_likelihood=-415.888, agents=12))
        ],
        "Report: order": [
            str(report.order(summary(), own))
            for own in (a_posterior(), a_posterior(False), a_posterior(notes=shared_out))
        ],
        "Report: an order that is open": [
            str(sentence) for sentence in report.answer(summary(level(1, ("benefit",)), level(2)), a_posterior())
        ],
        "Report: remarks": [
            str(each)
            for each in (
                report.LEGEND, report.NOTHING_TO_TRADE, report.NO_INTERVAL, report.UNSUPPORTED,
                report.no_draws(a_posterior(False)), report.TOO_FEW, report.BY_LEVELS,
                report.NOTHING_OPEN, posterior.UNKNOWN, report.RAW_PAIRS, report.PAIRS_LEFT_OUT,
                report.RAW_SETS, report.SETS_LEFT_OUT,
            )
        ],
        "Report: how good it is": [
            str(each)
            for each in (
                report.cross_validation(quality, 600), report.cross_validation(quality, 20_000),
                report.advantage(quality), report.cross_validation(quality, 600, sets=True),
            )
        ],
        "Report: surprising choices": [
            *(
                str(report.rare(RareChoices(seen, expected, 600), shown=shown))
                for seen, expected, shown in ((12, 9.84, True), (0, 0.01, False), (1, 1.0, True))
            ),
            str(report.rare(RareChoices(12, 9.84, 600), shown=True, sets=True)),
            *(
                str(report.surprise(SetSurprise(**pair, **told, **liked, level=place)))
                for told, place in (
                    ({"chosen": "bus", "probability": 0.04, "alternatives": 3, "worst": False}, 1),
                    ({"chosen": "bus", "probability": 0.04, "alternatives": 12, "worst": True}, 0),
                )
            ),
            *(
                str(report.surprise(Surprise(**pair, chances=(0.04, 0, 0.96), counts=counts, level=1, pair=17), words))
                for counts, words in (
                    ((1, 0, 0), {"left": "Medicine A"}),
                    ((0, 1, 0), None),
                    ((0, 1, 0), {"tie": "No preference"}),
                )
            ),
            *(
                str(report.surprise(Surprise(**pair, chances=chances, counts=counts, level=place)))
                for chances, counts, place in (
                    ((0.04, 0.0, 0.96), (1, 0, 0), 1),
                    ((0.9, 0.0, 0.1), (12, 0, 8), 2),
                    ((0.9, 0.0002, 0.0998), (0, 1, 0), 0),
                )
            ),
        ],
        "Report: data": [
            str(report.data(replace(data, **changes), dropped))
            for changes, dropped in (
                ({}, 0),
                ({"agents": 8, "n_ties": 3, "weighted": True}, 2),
                ({"agents": 1, "n_ties": 1, "identical": 1, "comparisons": 1, "pairs": 1}, 1),
                ({"identical": 4}, 0),
                ({"sizes": (3, 3)}, 0),
                ({"sizes": (2, 12), "identical": 1, "agents": 8, "n_ties": 2, "weighted": True}, 2),
            )
        ],
    }  # fmt: skip


def _captions() -> dict[str, list[str]]:
    axis = np.linspace(-100, 100, 5)
    left = np.add.outer(axis, axis) / 400 + 0.5
    land = Landscape("need", "benefit", axis, axis, left, np.zeros_like(left), 1 - left)
    losses = np.linspace(0, 100, 5)
    price = losses**2 / 40
    trade = TradeOff("need", "benefit", (True, True), losses, price, np.stack([price, price]), None, 500.0, None)
    bounds = np.stack([price * 0.8, price * 1.3])
    far = np.stack([np.append(price[:-2] * 0.8, [np.inf] * 2), np.append(price[:-3] * 1.3, [np.inf] * 3)])
    steps = SimpleNamespace(
        features=("need", "age"),
        ids=np.array(["a", "b"]),
        offsets=np.array([0, 2, 3]),
        values=np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    )
    groups = (
        Group("probability", "50 % to 61 %", 60, 0.52, 0.55, 0.48, 0.66),
        Group("level", "no level", 40, 0.40, 0.5, 0.45, 0.6),
    )
    shown = Check(groups, 0.9, trusted=True)
    return {
        "Captions: ladder": [
            str(ladder.caption(made))
            for made in (summary(), summary(level(leading=())), summary(level(weight=Quantity.of(0.0007, 0.0014))))
        ],
        "Captions: intervals": [
            str(posterior.caption(known(made))) for made in (summary(), summary(level(leading=())))
        ],
        "Captions: trade-off": [
            str(tradeoff.caption(each))
            for each in (
                trade,
                replace(trade, interval=bounds),
                replace(trade, interval=far, more_is_better=(False, False)),
                replace(trade, limit=80.0, price=np.append(price[:-1], np.inf)),
                replace(trade, interval=bounds * 2),
            )
        ],
        "Captions: regions and surface": [
            *(str(tradeoff.regions_caption(land, sides)) for sides in (tradeoff.SIDES, ("Medicine A", "Medicine B"))),
            *(str(tradeoff.surface_caption(land, sides)) for sides in (tradeoff.SIDES, ("Medicine A", "Medicine B"))),
        ],
        "Captions: calibration": [
            str(
                calibration.calibration_caption(
                    Reliability(*(np.array(own) for own in ([0.6, 0.9], [0.62, 0.8], [0.5, 0.7], [0.7, 0.88], [60, 1])))
                )
            )
        ],
        "Captions: check": [
            str(calibration.check_caption(each))
            for each in (shown, Check(groups[:1], 0.9, trusted=False), Check(groups[:1] * 9, 0.9, trusted=True))
        ],
        "Captions: sets": [
            str(
                sets.survivors_caption(
                    Survival(("bus", "tram"), np.array([[0.9, 0.5], [0.7, 0.3]]), np.array([0.72, 0.28]), 2.4,
                             np.array([1.4, 1.0]))
                )
            ),
            str(
                sets.chances_caption(
                    SetLandscape("cost", "time", "bus", ("bus", "tram"), axis, axis, (left, 1 - left), (0.0, 0.0))
                )
            ),
        ],
        "Captions: trajectories": [str(trajectories.caption(steps, "a", "b"))],
    }  # fmt: skip


def _readings() -> dict[str, list[str]]:
    """What was understood of a file."""
    plain = lori.Preferences.from_arrays([[1.0, 24.0], [3, 32]], [[2, 40], [1, 24]], features=["need", "price"])
    people = replace(plain, agent=["a", "b"], ties=[1, 0])
    guessed = Reading(
        columns={"left.*": "A_*", "right.*": "B_*", "choice": "picked", "agent": "Person"},
        values={"left": "A", "tie": "no preference"},
        guessed=("left.*", "choice", "agent", "tie"),
        categories={"form": ("drops", "patch", "pill")},
        ignored=("note", "date"),
        dropped=3,
    )
    sets = lori.Choices.from_arrays([[[1.0], [2]], [[3], [1]]], [0, 1], features=["cost"], agents=["a", "a"])
    alone = replace(sets, reading=Reading(form="choices", dropped=1))
    return {
        "Compared with the truth": [
            *map(str, comparison(several(2), several(2), 0.0123)),
            *map(str, comparison(several(1), several(2), 0.2)),
        ],
        "Worth": list(map(str, WORTH.sentences())),
        "Many levels": [str(many_levels(9))],
        "Levels that are enough": [
            str(enough_sentence(own))
            for own in (
                supported(2, "not supported", recommended=1),
                supported(3, "not supported", recommended=2),
                differing(2),
            )
        ],
        "Reading: a folder": [str(folder_remark(1, 80)), str(folder_remark(12, 2_450_718))],
        "Reading": list(description(plain, ["lori", "fit", "a b.csv"])),
        "Reading: guesses": list(description(replace(people, reading=guessed))),
        "Reading: sets": list(description(alone)),
    }


def text() -> str:
    parts = []
    for heading, told in sections().items():
        parts.append("\n".join([f"## {heading}", "", *(line for line in told)]))
    return "# Every sentence, from results made by hand\n\n" + "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(text(), encoding="utf-8")
