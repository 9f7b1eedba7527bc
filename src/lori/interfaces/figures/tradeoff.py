"""Trade-off: how much of one feature makes up for a loss of another, and from when on does nothing?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import TradeOff
from lori.interfaces.figures.style import AXIS, COLOURS, SMALL, described, new_figure, style
from lori.language.answer import number
from lori.language.names import label

OUTSIDE = 0.01  # of the axis: what can be seen
ABOVE = 4.0  # the axis reaches so many times as far as the price of 75 % of the largest loss that has one
EXAMPLES = (0.25, 0.5, 0.75)  # of the losses that can be made up for, told in words


def figure(trade: TradeOff) -> Figure:
    """The price of a loss as a line, its interval as an area, and dots where neither side is preferred."""
    with style():
        drawn, (axes,) = new_figure(3.5)
        top = _top(trade)
        low, high = _within(trade.band, trade.most)
        if np.any(high - low > 0.01 * trade.most):
            axes.fill_between(
                trade.lost, low, high, facecolor="none", hatch="....", edgecolor="#aaaaaa", linewidth=0,
                label="indifference: neither side is preferred as often as not",
            )  # fmt: skip
        if trade.interval is not None:
            low, high = _within(trade.interval, trade.most)
            axes.fill_between(
                trade.lost, low, high, color=COLOURS[4], alpha=0.45, linewidth=0, label="95% of the posterior"
            )
        axes.plot(*_curve(trade), color=COLOURS[0], linewidth=2, label="makes up for it: both equally likely (Pr = ½)")
        if trade.limit is not None:
            axes.axvline(trade.limit, color="black", linewidth=1, linestyle="--")
            side = {"ha": "right", "x": trade.limit} if trade.limit > 0.6 * trade.lost[-1] else {"x": trade.limit}
            axes.text(
                y=top * 0.97,
                s=f" from {number(trade.limit)} on \n no gain makes up ",
                va="top",
                fontsize=SMALL,
                **side,
            )
        axes.set_xlim(0, trade.lost[-1])
        axes.set_ylim(0, top)
        axes.set_xlabel(f"loss in {label(trade.loss_of, AXIS)} ({_way(trade.more_is_better[0], 'less', 'more')} of it)")
        axes.set_ylabel(f"gain in {label(trade.gain_of, AXIS)} ({_way(trade.more_is_better[1], 'more', 'less')} of it)")
        drawn.legend(loc="outside upper left", ncols=1)
    return described(drawn, description(trade))


def description(trade: TradeOff) -> str:
    """Some points of the curve, and its end."""
    payable = trade.lost[: len(trade.lost) if trade.limit is None else np.argmax(np.isinf(trade.price))]
    worse, better = _way(trade.more_is_better[0], "less", "more"), _way(trade.more_is_better[1], "more", "less")
    sentences = []
    places = dict.fromkeys(int(share * (len(payable) - 1)) for share in EXAMPLES)
    for place in (place for place in places if place > 0):  # the first loss is none
        loss, price = trade.lost[place], trade.price[place]
        lost, gained = f"{number(loss)} {worse} {trade.loss_of}", f"{number(price)} {better} {trade.gain_of}"
        sentences.append(f"{lost} by {gained}{_between(trade, place)}")
    told = f"A loss is made up for by a gain: {'; '.join(sentences)}." if sentences else ""
    if trade.limit is None:
        end = f"Every loss of {trade.loss_of} up to {number(trade.lost[-1])} can be made up for."
    else:
        end = (
            f"From a loss of {number(trade.limit)} of {trade.loss_of} on, no gain of {trade.gain_of} up to "
            f"{number(trade.most)} makes up for it."
        )
    return f"{told} {end} {_outside(trade)}".strip()


def _outside(trade: TradeOff) -> str:
    """An interval that does not hold the estimate needs a word."""
    if trade.interval is None:
        return ""
    low, high = trade.interval
    visible = OUTSIDE * _top(trade)
    if not np.any((trade.price < low - visible) | (trade.price > high + visible)):
        return ""
    return (
        "In places the fitted curve lies outside the posterior interval: weights that the fit puts at a bound, such as "
        "zero, are away from it in the posterior."
    )


def _top(trade: TradeOff) -> float:
    """How far up to look: where the price begins to rise must be seen."""
    paid = trade.price[np.isfinite(trade.price)]
    enough = ABOVE * float(paid[int(0.75 * (len(paid) - 1))]) if len(paid) else 0.0
    return min(enough, trade.most) if enough > 0 else trade.most


def _curve(trade: TradeOff) -> tuple[np.ndarray, np.ndarray]:
    """The price of each loss that has one, and the point where the figure ends."""
    payable = np.isfinite(trade.price)
    end = np.array([] if trade.limit is None else [(trade.limit, trade.most)]).reshape(-1, 2)
    return np.append(trade.lost[payable], end[:, 0]), np.append(trade.price[payable], end[:, 1])


def _between(trade: TradeOff, place: int) -> str:
    if trade.interval is None:
        return ""
    low, high = trade.interval[:, place]
    beyond = f"more than {number(trade.most)}" if np.isinf(high) else number(high)
    return f" (95% of the posterior: {number(low) if np.isfinite(low) else 'beyond'} to {beyond})"


def _within(bounds: np.ndarray, most: float) -> np.ndarray:
    """Infinity is drawn at the top."""
    return np.minimum(bounds, most)


def _way(more_is_better: bool, if_more: str, if_less: str) -> str:
    return if_more if more_is_better else if_less
