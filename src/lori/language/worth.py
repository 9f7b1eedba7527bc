"""Worth: what is a unit of each feature worth in units of another one, such as willingness to pay in a currency?

On each level, w_f / |w_c| units of the currency c make up for a unit of the feature f, other things being equal. Where
the weight of the currency may be zero there is no such rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lori.language.names import label
from lori.language.numbers import estimate, interval, with_interval
from lori.language.sentence import Name, Sentence
from lori.model.quantity import Quantity

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class LevelWorth:
    """The rates of one level, by feature; empty where the weight of the currency may be zero."""

    level: int  # from 1
    rates: dict[str, Quantity]


@dataclass(frozen=True)
class Worth:
    """What a unit of each feature is worth in units of `currency`, level by level, with 95 % intervals."""

    currency: str
    levels: tuple[LevelWorth, ...]

    def to_dict(self) -> dict[str, Any]:
        rates = [{name: own.to_dict() for name, own in level.rates.items()} for level in self.levels]
        return {"currency": self.currency, "levels": rates}

    def to_frame(self) -> pandas.DataFrame:
        """A row for each feature of each level that has rates."""
        import pandas

        rows = [
            {"level": level.level, "feature": name, "worth": own.value, "low": bounds[0], "high": bounds[1]}
            for level in self.levels
            for name, own in level.rates.items()
            for bounds in [own.interval or (None, None)]
        ]
        return pandas.DataFrame(rows, columns=["level", "feature", "worth", "low", "high"])

    def sentences(self) -> list[Sentence]:
        """Line by line, as a person reads it."""
        currency = Name(self.currency)
        said = [Sentence.of("What a unit of each feature is worth in units of {currency}:", currency=currency)]
        for level in self.levels:
            if not level.rates:
                said.append(
                    Sentence.of(
                        "Level {level} does not say: the weight of {currency} may be zero there.",
                        level=str(level.level), currency=currency,
                    )
                )  # fmt: skip
            for name, own in level.rates.items():
                slots = {"level": str(level.level), "feature": Name(name), "rate": with_interval(own, "95 % interval ")}
                said.append(Sentence.of("Level {level}: {feature} {rate}.", **slots))
        return said

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        import pandas

        rows = [
            (str(level.level), label(name), estimate(own), interval(own))
            for level in self.levels
            for name, own in level.rates.items()
        ]
        headings = ["level", "feature", f"worth in {label(self.currency)}", "95 % interval"]
        return pandas.DataFrame(rows, columns=headings).to_html(index=False, border=0)
