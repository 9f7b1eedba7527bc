"""Trade-offs and maps of two features: what makes up for a loss, who is preferred, and how likely? (figure 2)"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import Landscape, TradeOff
from lori.experiments.figures import draw_regions, draw_surface, region_legend
from lori.interfaces.figures.style import ACROSS, COLOURS, SMALL, UP, described, new_figure, style, wrapped
from lori.language.names import label
from lori.language.numbers import between, number, rounded
from lori.language.sentence import Name, Sentence, Share, clause, joined, paragraph
from lori.model.quantity import NORMAL_95

SIDES = "left", "right"
DIGITS = 2  # of points on a curve
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
                trade.lost, low, high, color=COLOURS[4], alpha=0.45, linewidth=0, label="95 % of the posterior"
            )
        axes.plot(*_curve(trade), color=COLOURS[0], linewidth=2, label="makes up for it: both equally likely (Pr = ½)")
        if trade.limit is not None:
            axes.axvline(trade.limit, color="black", linewidth=1, linestyle="--")
            side = {"ha": "right", "x": trade.limit} if trade.limit > 0.6 * trade.lost[-1] else {"x": trade.limit}
            axes.text(
                y=top * 0.97,
                s=f" from {number(trade.limit, DIGITS)} on \n no gain makes up ",
                va="top",
                fontsize=SMALL,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
                **side,
            )
        axes.set_xlim(0, trade.lost[-1])
        axes.set_ylim(0, top)
        loses, gains = trade.more_is_better
        axes.set_xlabel(wrapped(f"loss in {label(trade.loss_of)} ({_way(loses, 'less', 'more')} of it)", ACROSS))
        axes.set_ylabel(wrapped(f"gain in {label(trade.gain_of)} ({_way(gains, 'more', 'less')} of it)", UP))
        drawn.legend(loc="outside upper left", ncols=1)
    return described(drawn, caption(trade))


def caption(trade: TradeOff) -> Sentence:
    """Some points of the curve, and its end."""
    payable = trade.lost[: len(trade.lost) if trade.limit is None else np.argmax(np.isinf(trade.price))]
    loss_of, gain_of = Name(trade.loss_of), Name(trade.gain_of)
    worse, better = _way(trade.more_is_better[0], "less", "more"), _way(trade.more_is_better[1], "more", "less")
    points = []
    places = dict.fromkeys(int(share * (len(payable) - 1)) for share in EXAMPLES)
    for place in (place for place in places if place > 0):  # the first loss is none
        points.append(
            clause(
                "for {loss} {worse} {loss_of}, {price} {better} {gain_of}{interval}",
                loss=number(trade.lost[place], DIGITS),
                price=_price(trade, place),
                worse=worse,
                better=better,
                loss_of=loss_of,
                gain_of=gain_of,
                interval=_interval(trade, place),
            )
        )
    told = (
        Sentence.of("Losses and the gains that make up for them: {points}.", points=joined(points, "; "))
        if points
        else ""
    )
    if trade.limit is None:
        text = "Every loss in {loss_of} of up to {largest} can be made up for."
        end = Sentence.of(text, loss_of=loss_of, largest=number(trade.lost[-1], DIGITS))
    else:
        text = "Once the loss in {loss_of} reaches {limit}, no gain in {gain_of} of up to {most} makes up for it."
        limit, most = number(trade.limit, DIGITS), number(trade.most, DIGITS)
        end = Sentence.of(text, loss_of=loss_of, gain_of=gain_of, limit=limit, most=most)
    return paragraph([told, end, _outside(trade)])


def _outside(trade: TradeOff) -> str:
    """An interval that does not hold the estimate needs a word."""
    if trade.interval is None:
        return ""
    low, high = trade.interval
    visible = OUTSIDE * _top(trade)
    if not np.any((trade.price < low - visible) | (trade.price > high + visible)):
        return ""
    return (
        "In places, the fitted curve lies outside the posterior interval: the fit puts some weights exactly at a bound "
        "such as zero, whereas the posterior does not."
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


def _price(trade: TradeOff, place: int) -> str:
    """As precise as its interval allows."""
    if trade.interval is None or not np.isfinite(trade.interval[:, place]).all():
        return number(trade.price[place], DIGITS)
    low, high = trade.interval[:, place]
    return rounded(trade.price[place], (high - low) / (2 * NORMAL_95))


def _interval(trade: TradeOff, place: int) -> str:
    if trade.interval is None:
        return ""
    low, high = trade.interval[:, place]
    if np.isinf(low):
        return f" (95 % of the posterior: more than {number(trade.most, DIGITS)})"
    if np.isinf(high):
        return f" (95 % of the posterior: from {number(low, DIGITS)} to more than {number(trade.most, DIGITS)})"
    return f" (95 % of the posterior: {between((low, high))})"


def _within(bounds: np.ndarray, most: float) -> np.ndarray:
    """Infinity is drawn at the top."""
    return np.minimum(bounds, most)


def _way(more_is_better: bool, if_more: str, if_less: str) -> str:
    return if_more if more_is_better else if_less


def regions(land: Landscape, sides: tuple[str, str] = SIDES) -> Figure:
    """`land` tells ties apart: where neither side is preferred as often as not, nothing is drawn."""
    with style():
        drawn, (axes,) = new_figure(4.2)
        draw_regions(axes, land)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.axvline(0, color="black", linewidth=0.6)
        _name_axes(axes, land, sides)
        one, other = (f"{label(side)} preferred" for side in sides)
        handles = region_legend(one, other, "neither")
        columns = 3 if len(one + other) <= ACROSS else 1
        drawn.legend(handles=handles, loc="outside upper left", ncols=columns, handlelength=2.2, handleheight=1.1)
    return described(drawn, regions_caption(land, sides))


def surface(land: Landscape, sides: tuple[str, str] = SIDES) -> Figure:
    """The probability that the first of the sides is preferred, as colour."""
    with style():
        drawn, (axes,) = new_figure(4.0)
        image = draw_surface(axes, land)
        _name_axes(axes, land, sides)
        drawn.colorbar(image, ax=axes, label=f"probability that {label(sides[0])} is preferred", shrink=0.9)
    return described(drawn, surface_caption(land, sides))


def _name_axes(axes: Axes, land: Landscape, sides: tuple[str, str]) -> None:
    difference = " − ".join(map(label, sides))
    axes.set_xlabel(wrapped(f"difference in {label(land.across)}, {difference}", ACROSS))
    axes.set_ylabel(wrapped(f"difference in {label(land.up)}, {difference}", UP))


def regions_caption(land: Landscape, sides: tuple[str, str] = SIDES) -> Sentence:
    """What share of the plane is whose, and what one corner is like."""
    left, right = land.left > 0.5, land.right > 0.5
    neither = ~left & ~right
    one, other = map(Name, sides)
    corner = "neither side" if neither[-1, 0] else one if left[-1, 0] else other
    return Sentence.of(
        "Over differences of up to ±{reach} in {across} and ±{height} in {up}, {one} is preferred more often than not "
        "in {left} of the area, {other} in {right} and neither in {neither}. Where {one} has {height} more {up} "
        "but {reach} less {across}, {corner} is preferred.",
        one=one, other=other,
        across=Name(land.across), up=Name(land.up), reach=number(land.x[-1], 3), height=number(land.y[-1], 3),
        left=Share(np.mean(left)), right=Share(np.mean(right)), neither=Share(np.mean(neither)), corner=corner,
    )  # fmt: skip


def surface_caption(land: Landscape, sides: tuple[str, str] = SIDES) -> Sentence:
    """The middle of the edges and one corner."""
    middle = len(land.x) // 2
    return Sentence.of(
        "{one} is preferred with a probability of {edge} where it has {reach} more {across} and the same {up}, {top} "
        "where it has {height} more {up} and the same {across}, and {corner} where it has {height} more {up} but "
        "{reach} less {across}.", one=Name(sides[0]).capital(),
        across=Name(land.across), up=Name(land.up), reach=number(land.x[-1], 3), height=number(land.y[-1], 3),
        edge=Share(land.left[middle, -1]), top=Share(land.left[-1, middle]), corner=Share(land.left[-1, 0]),
    )  # fmt: skip
