"""Examples: which observations come with the library? Small tables of published facts."""

from __future__ import annotations

import numpy as np

from lori.data.preferences import Preferences

# Of 20 choices per pair, how often the first gamble (higher payoff, lower probability) was chosen.
# Columns: a-b a-c a-d a-e b-c b-d b-e c-d c-e d-e; rows: persons 1 to 8.
TVERSKY_FIRST_CHOSEN = (
    (15, 14, 9, 3, 17, 13, 8, 16, 12, 17),
    (8, 13, 10, 5, 14, 8, 7, 15, 11, 15),
    (15, 14, 12, 5, 16, 13, 8, 19, 16, 20),
    (10, 9, 4, 1, 13, 7, 2, 14, 8, 17),
    (15, 13, 7, 12, 16, 11, 6, 13, 13, 14),
    (20, 18, 13, 4, 16, 15, 11, 18, 13, 15),
    (9, 13, 12, 12, 12, 8, 13, 10, 15, 14),
    (12, 14, 15, 17, 13, 15, 17, 12, 16, 8),
)
TVERSKY_REPEATS = 20


def tversky1969() -> Preferences:
    """Eight people choose between gambles whose probability rises as their payoff falls.

    Five gambles a, b, c, d, e win with probability 7/24, 8/24, …, 11/24 and pay $5.00, $4.75, …, $4.00. Each
    person met each of the ten pairs twenty times. Most prefer the higher payoff between neighbours and the
    higher probability between distant gambles: intransitive, as when probability comes first and small
    differences in it do not count.

    Source: A. Tversky (1969), "Intransitivity of preferences", Psychological Review 76:31–48, experiment 1.
    """
    gambles = np.column_stack([np.arange(7, 12) / 24, 5.0 - 0.25 * np.arange(5)])
    first, second = np.triu_indices(len(gambles), k=1)
    people, pairs = len(TVERSKY_FIRST_CHOSEN), len(first)
    wins = np.array(TVERSKY_FIRST_CHOSEN, dtype=np.float64).ravel()
    return Preferences.from_indices(
        gambles,
        np.tile(first, people),
        np.tile(second, people),
        wins=wins,
        losses=TVERSKY_REPEATS - wins,
        features=("probability", "payoff"),
        agent=np.repeat([str(person) for person in range(1, people + 1)], pairs),
    )
