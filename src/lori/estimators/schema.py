"""Schema of a model file: which fields may it have, of which kinds and within which limits?

A file is checked against it before anything is built, so that a damaged or hostile one costs neither time nor memory.
A new field is one line in the class of its part. Settings and models have no fields but these, because a model without
one of its numbers would predict something else; summaries may have more, which are not read.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from lori.inference.estimates import ErrorKind
from lori.inference.settings import MOST_STARTS
from lori.model.likelihoods.probabilities import TieRule
from lori.model.priors import Prior
from lori.model.rewards import FAMILIES, options_of, reward_from
from lori.model.specification import MOST_LEVELS

LARGEST = 1e200  # the square of a number that is used must be one
MOST_FEATURES, MOST_AGENTS, MOST_PARAMETERS = 100_000, 1_000_000, 1_000_000
MOST_CLASSES, MOST_DRAWS = 20, 1024
LONGEST_NAME, LONGEST_TEXT = 65_536, 1_000_000

Number = Annotated[float, Field(allow_inf_nan=False)]  # that is told
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Used = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]  # in a computation
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=LARGEST)]
FromZero = Annotated[float, Field(allow_inf_nan=False, ge=0, le=LARGEST)]
Rate = Annotated[float, Field(allow_inf_nan=False, ge=0, lt=1)]
Share = Annotated[float, Field(allow_inf_nan=False, ge=-1e-6, le=1 + 1e-6)]
Count = Annotated[int, Field(ge=0, le=2**62)]
Classes = Annotated[int, Field(ge=1, le=MOST_CLASSES)]
LevelNumber = Annotated[int, Field(ge=1, le=MOST_LEVELS)]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Names = Annotated[list[Name], Field(max_length=MOST_FEATURES)]
Shares = Annotated[list[Share], Field(max_length=MOST_DRAWS)]
Numbers = Annotated[list[Used], Field(max_length=MOST_PARAMETERS)]


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    """Does a family of this kind take these options?"""
    kind = settings.get("kind")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise PydanticCustomError("reward", "{expected}", {"expected": " or ".join(FAMILIES), "at": ("kind",)})
    family, options = FAMILIES[kind], {name: value for name, value in settings.items() if name != "kind"}
    for name in options:
        if name not in options_of(family):
            raise PydanticCustomError("extra_forbidden", "unknown", {"at": (name,)})
    for name, value in options.items():
        if isinstance(value, dict):  # a reward within a reward
            options[name] = reward_from(_known(value))
    if is_dataclass(family):
        try:
            TypeAdapter(family).validate_python(options)
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            raise PydanticCustomError("reward", "{expected}", {"expected": said(first), "at": first["loc"]}) from None
    return settings


def said(error: Any) -> str:
    """What was expected, in the words of the error."""
    known = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return "this field"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "only fields that this version of LORI knows"
        case "too_long":
            return f"at most {known['max_length']:,} entries"
        case "too_short":
            return f"at least {known['min_length']:,} entries"
        case "string_too_long":
            return f"at most {known['max_length']:,} characters"
        case "reward":
            return str(known["expected"])
        case "value_error":
            return getattr(known["error"], "expected", "another value")
    return str(error["msg"]).removeprefix("Input should be ").removeprefix("Input should ")


Reward = Annotated[dict[Name, Any], AfterValidator(_known)]


class Exact(BaseModel):
    """A part that has no fields but these."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Told(BaseModel):
    """A part of a summary: what else it says is not read."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


# -- what was asked for -----------------------------------------------------------------------------------


class PriorPart(Exact):
    weights: Positive
    epsilon: Positive
    degrees: Positive
    deeper: Positive = Prior.deeper
    lapse: tuple[Positive, Positive] = Prior.lapse
    price: FromZero | None = None  # older files mean that


PerLevel = Annotated[list[FromZero | None], Field(max_length=MOST_LEVELS)]


class SettingsPart(Exact):
    levels: LevelNumber
    alpha: FromZero | PerLevel | None
    epsilon: FromZero | PerLevel | None
    ties: TieRule | Literal["auto"]
    lapse: Rate | None = 0.0
    prior: Literal["weak"] | PriorPart | None
    method: Literal["newton", "paper"]
    starts: Annotated[int, Field(ge=1, le=MOST_STARTS)]
    standard_errors: ErrorKind
    seed: Count


# -- what was learned -------------------------------------------------------------------------------------


class LevelPart(Exact):
    reward: Reward
    parameters: Numbers
    epsilon: FromZero
    alpha: FromZero
    slopes: Numbers


class ModelPart(Exact):
    features: Annotated[Names, Field(min_length=1)]
    ties: TieRule
    lapse: Rate = 0.0
    levels: Annotated[list[LevelPart], Field(min_length=1, max_length=MOST_LEVELS)]


class PeakPart(Exact):
    rewards: Annotated[list[Reward], Field(min_length=1, max_length=MOST_LEVELS)]
    epsilon: PerLevel
    alpha: PerLevel
    reported_alpha: PerLevel
    lapse: Rate | None = 0.0
    location: Numbers
    scale: Annotated[list[Positive], Field(max_length=MOST_PARAMETERS)]
    vector: Numbers
    value: Used
    gradient: Numbers
    curvature: Annotated[list[Numbers], Field(max_length=MOST_PARAMETERS)]


# -- what is told about it --------------------------------------------------------------------------------


class QuantityPart(Told):
    value: Number | None
    standard_error: NotNegative | None
    interval: tuple[Number, Number] | None


Quantities = Annotated[dict[Name, QuantityPart], Field(max_length=MOST_FEATURES)]


class GatePart(Told):
    closed: Quantities
    opened: Quantities
    offset: QuantityPart
    slopes: Quantities
    leading: Annotated[dict[Literal["closed", "opened"], Name], Field(max_length=2)] = {}
    threshold: Number | None = None


class CapPart(Told):
    feature: Name
    value: Number


class LevelSummaryPart(Told):
    model_config = ConfigDict(extra="allow", defer_build=True)  # a family of rewards has entries of its own

    level: LevelNumber
    reward: Name
    importance: Annotated[dict[Name, Share], Field(max_length=MOST_FEATURES)]
    leading: Annotated[list[Name], Field(max_length=2)]
    weights: Quantities
    epsilon: QuantityPart
    thresholds: Quantities
    alpha: QuantityPart
    decides: Share
    cap: QuantityPart | None = None
    cap_reached: Share | None = None
    cap_in_feature: CapPart | None = None
    gate: GatePart | None = None
    outweighs: Annotated[list[Name], Field(max_length=MOST_FEATURES)] = []


class NestedPart(Told):
    levels: LevelNumber
    log_likelihood: Number
    parameters: Count
    bic: Number


class SupportPart(Told):
    level: LevelNumber
    gain: Number
    extra_parameters: Annotated[int, Field(ge=-MOST_PARAMETERS, le=MOST_PARAMETERS)]
    bic_difference: Number
    verdict: Text
    recommended: LevelNumber | None = None
    rival_gain: Number | None = None
    rival_parameters: Annotated[int, Field(ge=-MOST_PARAMETERS, le=MOST_PARAMETERS)] | None = None
    rival_bic_difference: Number | None = None


Slot = Number | Text | Names


class NotePart(Told):
    code: Text
    text: Text
    remedy: Text
    variant: Text | None = None
    slots: Annotated[dict[Name, Slot], Field(max_length=20)] | None = None


class StatusPart(Told):
    converged: bool
    starts: Count
    share_at_best: Share
    notes: Annotated[list[NotePart], Field(max_length=100_000)]


class SummaryPart(Told):
    features: Names
    ties: TieRule
    levels: Annotated[list[LevelSummaryPart], Field(min_length=1, max_length=MOST_LEVELS)]
    undecided_share: Share
    log_likelihood: Number
    comparisons: Count
    pairs: Count
    sets: bool = False
    by_levels: Annotated[list[NestedPart], Field(max_length=MOST_LEVELS)]
    support: SupportPart | None
    status: StatusPart
    lapse: QuantityPart | None = None
    null_log_likelihood: Number | None = None  # older files do not say
    agents: Count | None = None


# -- files ------------------------------------------------------------------------------------------------


Words = Annotated[dict[Name, Name], Field(max_length=MOST_FEATURES)]


class ReadingPart(Exact):
    """How the files were read."""

    form: Name
    sources: Names
    columns: Words
    values: Words
    alternatives: Names
    features: Names
    guessed: Names
    categories: Annotated[dict[Name, Names], Field(max_length=MOST_FEATURES)]
    ignored: Names
    rows: Count
    dropped: Count


Pooled = tuple[Literal["mean", "sum", "last", "discounted", "steps"], Share | None]


class Content(Exact):
    """One fitted model."""

    settings: SettingsPart
    model: ModelPart
    summary: SummaryPart
    ranges: Annotated[list[NotNegative], Field(max_length=MOST_FEATURES)]
    peak: PeakPart | None = None  # files of the first version have none
    pooled: Pooled | None = None  # older files do not say
    reading: ReadingPart | None = None  # nor do they remember columns


class PopulationSettingsPart(Exact):
    classes: Classes
    levels: LevelNumber | Annotated[list[LevelNumber], Field(max_length=MOST_CLASSES)]
    spread: bool
    alpha: FromZero | PerLevel | None
    epsilon: FromZero | PerLevel | None
    ties: TieRule | Literal["auto"]
    lapse: Rate | None
    prior: Literal["weak"] | PriorPart | None
    starts: Annotated[int, Field(ge=1, le=MOST_STARTS)]
    seed: Count


class ClassPart(Exact):
    """One kind of people."""

    share: Share
    careless: bool
    model: ModelPart
    summary: SummaryPart


class KnownPart(Exact):
    """What is known about each person, and last about a stranger."""

    rewards: Annotated[list[Reward], Field(min_length=1, max_length=MOST_LEVELS)]
    epsilon: PerLevel
    alpha: PerLevel
    lapse: Rate | None
    location: Numbers
    scale: Annotated[list[Positive], Field(max_length=MOST_PARAMETERS)]
    vectors: Annotated[list[Annotated[list[Numbers], Field(max_length=MOST_DRAWS)]], Field(max_length=MOST_AGENTS + 1)]
    shares: Annotated[list[Shares], Field(max_length=MOST_AGENTS + 1)]


class DifferencePart(Told):
    """How people differ in one parameter."""

    parameter: Name
    mean: QuantityPart
    deviation: QuantityPart


class PeoplePart(Told):
    agents: Count
    comparisons: Count
    log_likelihood: Number
    parameters: Count
    bic: Number
    converged: bool
    spread: bool
    first: Annotated[dict[Name, Share], Field(max_length=MOST_FEATURES)]
    sure: Share
    differences: Annotated[list[DifferencePart], Field(max_length=MOST_PARAMETERS)]


class Header(BaseModel):
    """What every file begins with; the rest depends on the kind."""

    format: Literal["lori-model"]
    version: Any = None
    lori: Any = None
    kind: Any = None


class ModelFile(Content, Header):
    """A fitted model."""


class AgentsFile(Exact, Header):
    """The models of many agents."""

    agents: Annotated[dict[Name, Content], Field(max_length=MOST_AGENTS)]


class PopulationFile(Exact, Header):
    """Many decision-makers who differ."""

    settings: PopulationSettingsPart
    classes: Annotated[list[ClassPart], Field(min_length=1, max_length=MOST_CLASSES)]
    agents: Annotated[list[Name], Field(max_length=MOST_AGENTS)]
    members: Annotated[list[Shares], Field(max_length=MOST_AGENTS)]
    known: Annotated[list[KnownPart], Field(min_length=1, max_length=MOST_CLASSES)]
    summary: PeoplePart
    pooled: Pooled | None = None
    reading: ReadingPart | None = None


class TruthFile(Exact, Header):
    """A model that was not fitted."""

    model: ModelPart


class PolicyFile(Exact, Header):
    """A policy, whose parts `lori.policies.policy` checks."""

    policy: dict[Name, Any]


FILES: dict[str, type[Header]] = {
    "model": ModelFile, "agents": AgentsFile, "population": PopulationFile, "truth": TruthFile, "policy": PolicyFile,
}  # fmt: skip
