"""Schema of a model file: which fields may it have, of which kinds and within which limits?

A file is checked against it before anything is built, so that a damaged or hostile one costs neither time nor memory.
A new field is one line in its part. Settings and models have no fields but these, because a model without one of its
numbers would predict something else; summaries may have more, which are not read.

It is written for pydantic's core: classes of pydantic say the same, but take longer to build than a prediction takes.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args

from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, ValidationError
from pydantic_core import core_schema as kinds

from lori.inference.estimates import ErrorKind
from lori.inference.settings import MOST_STARTS
from lori.model.likelihoods.probabilities import TIE_RULES
from lori.model.rewards import FAMILIES, Reward, options_of, reward_from
from lori.model.specification import MOST_LEVELS

LARGEST = 1e200  # the square of a number that is used must be one
MOST_FEATURES, MOST_AGENTS, MOST_PARAMETERS, MOST_DRAWS = 100_000, 1_000_000, 1_000_000, 10_000
MOST_CLASSES, MOST_DRAWS = 20, 1024
LONGEST_NAME, LONGEST_TEXT = 65_536, 1_000_000
ALTERNATIVE = "\0"  # stands in the place of an error for one of several schemas that were tried


def number(**limits: float) -> CoreSchema:
    return kinds.float_schema(allow_inf_nan=False, **limits)  # type: ignore[arg-type]


def either(*schemas: CoreSchema) -> CoreSchema:
    """One of these."""
    return kinds.union_schema([(own, ALTERNATIVE) for own in schemas])


def optional(schema: CoreSchema) -> Any:
    """A field that may be missing, as in older files."""
    return kinds.typed_dict_field(schema, required=False)


def exact(**fields: Any) -> CoreSchema:
    """A part that has no fields but these."""
    return _part(fields, "forbid")


def told(**fields: Any) -> CoreSchema:
    """A part of a summary: what else it says is not read."""
    return _part(fields, "ignore")


def _part(fields: dict[str, Any], others: Any) -> CoreSchema:
    needed = {name: kinds.typed_dict_field(own) for name, own in fields.items() if own["type"] != "typed-dict-field"}
    return kinds.typed_dict_schema({**fields, **needed}, extra_behavior=others)


none_or, several, words = kinds.nullable_schema, kinds.list_schema, kinds.literal_schema
ANYTHING, TRUTH = kinds.any_schema(), kinds.bool_schema()
NUMBER = number()  # that is told
NOT_NEGATIVE = number(ge=0)
USED = number(ge=-LARGEST, le=LARGEST)  # in a computation
POSITIVE = number(gt=0, le=LARGEST)
FROM_ZERO = number(ge=0, le=LARGEST)
RATE = number(ge=0, lt=1)
SHARE = number(ge=-1e-6, le=1 + 1e-6)
COUNT = kinds.int_schema(ge=0, le=2**62)
CLASSES = kinds.int_schema(ge=1, le=MOST_CLASSES)
LEVEL_NUMBER = kinds.int_schema(ge=1, le=MOST_LEVELS)
MORE_PARAMETERS = kinds.int_schema(ge=-MOST_PARAMETERS, le=MOST_PARAMETERS)
STARTS = kinds.int_schema(ge=1, le=MOST_STARTS)
NAME = kinds.str_schema(max_length=LONGEST_NAME)
TEXT = kinds.str_schema(max_length=LONGEST_TEXT)
NAMES = several(NAME, max_length=MOST_FEATURES)
SHARES = several(SHARE, max_length=MOST_DRAWS)
NUMBERS = several(USED, max_length=MOST_PARAMETERS)
SCALES = several(POSITIVE, max_length=MOST_PARAMETERS)
PER_LEVEL = several(none_or(FROM_ZERO), max_length=MOST_LEVELS)
ONE_OR_PER_LEVEL = none_or(either(FROM_ZERO, PER_LEVEL))
TIES = words(list(TIE_RULES))


def by_name(schema: CoreSchema, most: int = MOST_FEATURES) -> CoreSchema:
    """Such a thing for each of several names."""
    return kinds.dict_schema(NAME, schema, max_length=most)


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
            _options(family).validate_python(options)
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            fix = getattr(first.get("ctx", {}).get("error"), "fix", None)
            told = {"expected": said(first), "at": first["loc"], "fix": fix}
            raise PydanticCustomError("reward", "{expected}", told) from None
    return settings


@cache
def _options(family: type[Reward]) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(family)


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


REWARD = kinds.no_info_after_validator_function(_known, kinds.dict_schema(NAME, ANYTHING))


# -- what was asked for -----------------------------------------------------------------------------------

PRIOR = exact(
    weights=POSITIVE,
    epsilon=POSITIVE,
    degrees=POSITIVE,
    deeper=optional(POSITIVE),
    lapse=optional(kinds.tuple_schema([POSITIVE, POSITIVE])),
    price=optional(none_or(FROM_ZERO)),
)
SETTINGS = exact(
    levels=LEVEL_NUMBER,
    alpha=ONE_OR_PER_LEVEL,
    epsilon=ONE_OR_PER_LEVEL,
    ties=words([*TIE_RULES, "auto"]),
    lapse=optional(none_or(RATE)),
    prior=none_or(either(words(["weak"]), PRIOR)),
    method=words(["newton", "paper"]),
    starts=STARTS,
    standard_errors=words(list(get_args(ErrorKind))),
    seed=COUNT,
)


# -- what was learned -------------------------------------------------------------------------------------

LEVEL = exact(
    reward=REWARD,
    parameters=NUMBERS,
    epsilon=FROM_ZERO,
    alpha=FROM_ZERO,
    slopes=NUMBERS,
)
MODEL = exact(
    features=several(NAME, min_length=1, max_length=MOST_FEATURES),
    ties=TIES,
    lapse=optional(RATE),
    levels=several(LEVEL, min_length=1, max_length=MOST_LEVELS),
)
PEAK = exact(
    rewards=several(REWARD, min_length=1, max_length=MOST_LEVELS),
    epsilon=PER_LEVEL,
    alpha=PER_LEVEL,
    reported_alpha=PER_LEVEL,
    lapse=optional(none_or(RATE)),
    location=NUMBERS,
    scale=SCALES,
    vector=NUMBERS,
    value=USED,
    gradient=NUMBERS,
    curvature=several(NUMBERS, max_length=MOST_PARAMETERS),
    draws=optional(several(NUMBERS, min_length=1, max_length=MOST_DRAWS)),
)


# -- what is told about it --------------------------------------------------------------------------------

QUANTITY = told(
    value=none_or(NUMBER),
    standard_error=none_or(NOT_NEGATIVE),
    interval=none_or(kinds.tuple_schema([NUMBER, NUMBER])),
)
QUANTITIES = by_name(QUANTITY)
GATE = told(
    closed=QUANTITIES,
    opened=QUANTITIES,
    offset=QUANTITY,
    slopes=QUANTITIES,
    leading=optional(kinds.dict_schema(words(["closed", "opened"]), NAME, max_length=2)),
    threshold=optional(none_or(NUMBER)),
)
CAP = told(feature=NAME, value=NUMBER)
LEVEL_SUMMARY = _part(
    {
        "level": LEVEL_NUMBER,
        "reward": NAME,
        "importance": by_name(SHARE),
        "leading": several(NAME, max_length=2),
        "weights": QUANTITIES,
        "epsilon": QUANTITY,
        "thresholds": QUANTITIES,
        "alpha": QUANTITY,
        "decides": SHARE,
        "cap": optional(none_or(QUANTITY)),
        "cap_reached": optional(none_or(SHARE)),
        "cap_in_feature": optional(none_or(CAP)),
        "gate": optional(none_or(GATE)),
        "parameters": optional(QUANTITIES),
        "outweighs": optional(NAMES),
    },
    "allow",  # a family of rewards has entries of its own
)
NESTED = told(levels=LEVEL_NUMBER, log_likelihood=NUMBER, parameters=COUNT, bic=NUMBER)
SUPPORT = told(
    level=LEVEL_NUMBER,
    gain=NUMBER,
    extra_parameters=MORE_PARAMETERS,
    bic_difference=NUMBER,
    verdict=TEXT,
    recommended=optional(none_or(LEVEL_NUMBER)),
    rival_gain=optional(none_or(NUMBER)),
    rival_parameters=optional(none_or(MORE_PARAMETERS)),
    rival_bic_difference=optional(none_or(NUMBER)),
)
NOTE = told(
    code=TEXT,
    text=TEXT,
    remedy=TEXT,
    variant=optional(none_or(TEXT)),
    slots=optional(none_or(by_name(either(NUMBER, TEXT, NAMES), most=20))),
)
STATUS = told(converged=TRUTH, starts=COUNT, share_at_best=SHARE, notes=several(NOTE, max_length=100_000))
SUMMARY = told(
    features=NAMES,
    ties=TIES,
    levels=several(LEVEL_SUMMARY, min_length=1, max_length=MOST_LEVELS),
    undecided_share=SHARE,
    log_likelihood=NUMBER,
    comparisons=COUNT,
    pairs=COUNT,
    sets=optional(TRUTH),
    by_levels=several(NESTED, max_length=MOST_LEVELS),
    support=none_or(SUPPORT),
    status=STATUS,
    lapse=optional(none_or(QUANTITY)),
    null_log_likelihood=optional(none_or(NUMBER)),  # older files do not say
    agents=optional(none_or(COUNT)),
)


# -- files ------------------------------------------------------------------------------------------------

READING = exact(  # how the files were read
    form=NAME,
    sources=NAMES,
    columns=by_name(NAME),
    values=by_name(NAME),
    alternatives=NAMES,
    features=NAMES,
    guessed=NAMES,
    categories=by_name(NAMES),
    ignored=NAMES,
    rows=COUNT,
    dropped=COUNT,
)
POOLED = kinds.tuple_schema([words(["mean", "sum", "last", "discounted", "steps"]), none_or(SHARE)])
CONTENT: dict[str, Any] = {  # one fitted model
    "settings": SETTINGS,
    "model": MODEL,
    "summary": SUMMARY,
    "ranges": several(NOT_NEGATIVE, max_length=MOST_FEATURES),
    "peak": optional(none_or(PEAK)),  # files of the first version have none
    "pooled": optional(none_or(POOLED)),  # older files do not say
    "reading": optional(none_or(READING)),  # nor do they remember columns
}
POPULATION_SETTINGS = exact(
    classes=CLASSES,
    levels=either(LEVEL_NUMBER, several(LEVEL_NUMBER, max_length=MOST_CLASSES)),
    spread=TRUTH,
    alpha=ONE_OR_PER_LEVEL,
    epsilon=ONE_OR_PER_LEVEL,
    ties=words([*TIE_RULES, "auto"]),
    lapse=none_or(RATE),
    prior=none_or(either(words(["weak"]), PRIOR)),
    starts=STARTS,
    seed=COUNT,
)
CLASS = exact(share=SHARE, careless=TRUTH, model=MODEL, summary=SUMMARY)  # one kind of people
KNOWN = exact(  # about each person, and last about a stranger
    rewards=several(REWARD, min_length=1, max_length=MOST_LEVELS),
    epsilon=PER_LEVEL,
    alpha=PER_LEVEL,
    lapse=none_or(RATE),
    location=NUMBERS,
    scale=SCALES,
    vectors=several(several(NUMBERS, max_length=MOST_DRAWS), max_length=MOST_AGENTS + 1),
    shares=several(SHARES, max_length=MOST_AGENTS + 1),
)
DIFFERENCE = told(parameter=NAME, mean=QUANTITY, deviation=QUANTITY)  # how people differ in one parameter
PEOPLE = told(
    agents=COUNT,
    comparisons=COUNT,
    log_likelihood=NUMBER,
    parameters=COUNT,
    bic=NUMBER,
    converged=TRUTH,
    spread=TRUTH,
    first=by_name(SHARE),
    sure=SHARE,
    differences=several(DIFFERENCE, max_length=MOST_PARAMETERS),
)
HEADER: dict[str, Any] = {  # what every file begins with; the rest depends on the kind
    "format": words(["lori-model"]),
    "version": optional(ANYTHING),
    "lori": optional(ANYTHING),
    "kind": optional(ANYTHING),
}
FILES: dict[str, dict[str, Any]] = {
    "model": CONTENT,
    "agents": {"agents": by_name(exact(**CONTENT), most=MOST_AGENTS)},
    "population": {
        "settings": POPULATION_SETTINGS,
        "classes": several(CLASS, min_length=1, max_length=MOST_CLASSES),
        "agents": several(NAME, max_length=MOST_AGENTS),
        "members": several(SHARES, max_length=MOST_AGENTS),
        "known": several(KNOWN, min_length=1, max_length=MOST_CLASSES),
        "summary": PEOPLE,
        "pooled": optional(none_or(POOLED)),
        "reading": optional(none_or(READING)),
    },
    "truth": {"model": MODEL},
    "policy": {"policy": by_name(ANYTHING)},  # whose parts `lori.policies.policy` checks
}


@cache
def header() -> SchemaValidator:
    """What every file keeps to."""
    return SchemaValidator(told(**HEADER))


@cache
def file(kind: str) -> SchemaValidator:
    """What a file of this kind keeps to."""
    return SchemaValidator(exact(**HEADER, **FILES[kind]))
