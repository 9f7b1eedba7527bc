"""What the tests of the model share: the paper's equations restated without any care for speed or rounding."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import NamedTuple

import pytest

from lori.errors import InputError


class Naive(NamedTuple):
    """Exact decimals: what each level says, and what comes out under a tie rule."""

    says: list[tuple[Decimal, Decimal, Decimal]]  # level → (better, equal, worse)
    left: Decimal
    tie: Decimal
    right: Decimal


def naive_model(alpha: Sequence[float], differences: Sequence, epsilon: Sequence, rule: str, digits: int = 80) -> Naive:
    """Equations (4) and (5) as printed, in `digits` decimal digits so that 1 − s − t may be subtracted.

    `differences` are r_i(x*) − r_i(x°). A full tie is split, observed or nobody's by `rule`.
    """
    with localcontext() as context:
        context.prec = digits
        says = []
        for a, d, e in zip(alpha, differences, epsilon, strict=True):
            a, d, e = Decimal(a), Decimal(d), Decimal(e)
            better = 1 / (1 + (-a * (d - e)).exp())
            worse = 1 / (1 + (-a * (-d - e)).exp())
            says.append((better, 1 - better - worse, worse))
        left = right = Decimal(0)
        reached = Decimal(1)
        for better, equal, worse in says:
            left += better * reached
            right += worse * reached
            reached *= equal
        if rule == "split":
            return Naive(says, left + reached / 2, Decimal(0), right + reached / 2)
        return Naive(says, left, reached, right)


@pytest.fixture(scope="session")
def naive():
    return naive_model


@pytest.fixture
def refused():
    """Call something that must fail with an InputError of one sentence, and return the sentence."""

    def call(function, *args, **options) -> str:
        with pytest.raises(InputError) as caught:
            function(*args, **options)
        message = str(caught.value)
        assert message.endswith(".")
        assert "\n" not in message
        assert caught.value.exit_code == 2
        return message

    return call
