"""Numbers in words: how a value, an interval, a share, a count or a place in an order is written.

All rounding for people happens here. An estimate that has an interval, or at least a standard error, is written with as
many decimals as leave its spread two significant digits; one that has none, with three significant digits, so that it
does not look better known than the others. Numbers from the data have four. Files keep every digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10

from lori.model.quantity import NORMAL_95, Quantity

DIGITS = 4  # significant ones of a number from the data
ESTIMATE_DIGITS = 3  # of an estimate without an error
MOST_DIGITS = 7  # of a number whose error is tiny
NONE = "–"
CARDINALS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
ORDINALS = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip


def number(value: float | None, digits: int = DIGITS) -> str:
    """A number that is not an estimate.

    >>> number(0.05776, 3), number(15823.4), number(59.60), number(None)
    ('0.0578', '15,823', '59.6', '–')
    """
    if value is None or not isfinite(value):
        return NONE
    if value == 0:
        return "0"
    written = _fixed(value, max(digits - 1 - _exponent(value), 0))
    return written.rstrip("0").rstrip(".") if "." in written and "e" not in written else written


def rounded(value: float | None, error: float | None = None) -> str:
    """An estimate as precise as its error allows.

    >>> rounded(62.5649, 6.99), rounded(0.04453, 0.00526), rounded(41873.0, 5400.0), rounded(40.9612)
    ('62.6', '0.0445', '41,900', '41')
    """
    if value is None or not error or not isfinite(error) or not isfinite(value):
        return number(value, ESTIMATE_DIGITS)
    return _fixed(value, _decimals(value, error))


def between(bounds: Sequence[float] | None, spread: float | None = None) -> str:
    """An interval; as precise as the spread of what it belongs to, or as its own width tells.

    >>> between((48.86, 76.27)), between((0.0, 43.07)), between(None)
    ('48.9 to 76.3', '0 to 43', '–')
    """
    if bounds is None:
        return NONE
    low, high = bounds
    spread = spread or (high - low) / (2 * NORMAL_95)
    return f"{_bound(low, spread)} to {_bound(high, spread)}"


def estimate(quantity: Quantity) -> str:
    """A number that was learned, as precise as its interval allows."""
    return rounded(quantity.value, quantity.spread)


def interval(quantity: Quantity) -> str:
    """The interval beside it, just as precise."""
    return between(quantity.interval, quantity.spread)


def with_interval(quantity: Quantity, label: str = "") -> str:
    """A number with its interval in brackets, where there is one.

    >>> with_interval(Quantity.of(62.5649, 6.99), label="95 % interval ")
    '62.6 (95 % interval 48.9 to 76.3)'
    """
    if quantity.value is None or quantity.interval is None:
        return estimate(quantity)
    return f"{estimate(quantity)} ({label}{interval(quantity)})"


def may_be_zero(quantity: Quantity) -> bool:
    """Its interval holds zero, so that nothing should be read into its size."""
    return quantity.interval is not None and quantity.interval[0] <= 0 <= quantity.interval[1]


def percent(share: float | None) -> str:
    """A share in whole per cent.

    >>> percent(0.594), percent(0.0), percent(0.003), percent(0.999), percent(1.0)
    ('59 %', '0 %', 'under 1 %', 'over 99 %', '100 %')
    """
    if share is None:
        return NONE
    if 0 < share < 0.01 or 0.99 < share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    return f"{100 * share:.0f} %"


def fine_percent(share: float) -> str:
    """A share with one decimal.

    >>> fine_percent(0.588), fine_percent(0.0), fine_percent(0.0002), fine_percent(1.0)
    ('58.8 %', '0 %', 'under 0.1 %', '100 %')
    """
    if 0 < share < 0.001 or 0.999 < share < 1:
        return "under 0.1 %" if share < 0.5 else "over 99.9 %"
    return f"{100 * share:.1f} %" if 0 < share < 1 else f"{100 * share:.0f} %"


def counted(count: float, noun: str) -> str:
    """
    >>> counted(1, "level"), counted(2400, "pair")
    ('1 level', '2,400 pairs')
    """
    return f"{count:,.0f} {noun}{'' if round(count) == 1 else 's'}"


def share_of(count: int, total: int, noun: str) -> str:
    """
    >>> share_of(3, 8, "group"), share_of(8, 8, "group"), share_of(0, 8, "group"), share_of(1, 1, "group")
    ('3 of 8 groups', 'all 8 groups', 'none of 8 groups', 'the only group')
    """
    if total == 1:
        return f"the only {noun}" if count else f"0 of 1 {noun}"
    return f"all {total:,} {noun}s" if count == total else f"{f'{count:,}' if count else 'none'} of {total:,} {noun}s"


def level_count(count: int) -> str:
    """
    >>> level_count(1), level_count(3), level_count(21)
    ('one level', 'three levels', '21 levels')
    """
    return f"{cardinal(count)} level{'' if count == 1 else 's'}"


def cardinal(count: int) -> str:
    return CARDINALS[count] if count < len(CARDINALS) else f"{count:,}"


def ordinal(place: int) -> str:
    """
    >>> ordinal(1), ordinal(11), ordinal(13), ordinal(21), ordinal(22), ordinal(111)
    ('first', 'eleventh', '13th', '21st', '22nd', '111th')
    """
    if place < len(ORDINALS):
        return ORDINALS[place]
    ending = "th" if 11 <= place % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def an_ordinal(place: int) -> str:
    """
    >>> an_ordinal(2), an_ordinal(8), an_ordinal(11), an_ordinal(18), an_ordinal(80)
    ('a second', 'an eighth', 'an eleventh', 'an 18th', 'an 80th')
    """
    return f"{'an' if place in (8, 11, 18) or 80 <= place < 90 else 'a'} {ordinal(place)}"


def odds(log_ratio: float) -> str:
    """Odds for a difference in log evidence of at least zero.

    >>> odds(0.4), odds(3.0), odds(8.0), odds(40.0)
    ('1.5 to 1', '20 to 1', '3,000 to 1', 'over 1,000,000 to 1')
    """
    ratio = 10.0 ** min(log_ratio / 2.302585092994046, 20.0)
    if ratio > 1e6:
        return "over 1,000,000 to 1"
    return f"{_fixed(ratio, 1 - _exponent(ratio))} to 1"


def _exponent(value: float) -> int:
    return floor(log10(abs(value))) if value else 0


def _decimals(value: float, error: float) -> int:
    """Places after the point that leave the error two digits (of a rounded error: 0.0996 counts as 0.10)."""
    exponent = _exponent(float(f"{error:.1e}"))
    return min(1 - exponent, MOST_DIGITS - 1 - _exponent(value)) if value else 1 - exponent


def _bound(value: float, spread: float) -> str:
    return "0" if value == 0 or not spread else _fixed(value, 1 - _exponent(float(f"{spread:.1e}")))


def _fixed(value: float, decimals: int) -> str:
    """So many places after the point, or before it where negative; powers of ten for what is hard to read otherwise."""
    kept = round(value, decimals)
    if kept == 0:
        return "0"
    if not 1e-4 <= abs(kept) < 1e9:
        return f"{kept:.{max(_exponent(kept) + decimals, 0)}e}"
    return f"{kept:,.{max(decimals, 0)}f}"
