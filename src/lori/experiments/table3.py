"""Table 3: whose policies are preferred, when two objectives are ordered?"""

from __future__ import annotations

from lori.experiments.cancer import SMOKE, CancerSettings, policies_cell, policies_paper, policies_rows
from lori.experiments.study import Study

PAPER = {
    "BC": {"Behaviour": (55.7, 1.3)},
    "BIRL": {"Behaviour": (65.6, 1.1), "BC": (57.3, 2.1)},
    "T-REX": {"Behaviour": (65.7, 1.2), "BC": (57.5, 2.3), "BIRL": (49.8, 0.9)},
    "Optimal": {"Behaviour": (75.1, 1.3), "BC": (70.0, 1.6), "BIRL": (82.5, 0.2), "T-REX": (82.4, 0.5)},
    "LORI": {
        "Behaviour": (71.5, 3.8), "BC": (65.6, 5.0), "BIRL": (69.4, 15), "T-REX": (68.9, 15),
        "Optimal": (38.0, 16),  # printed the other way round: 62.0
    },
}  # fmt: skip

STUDY = Study(
    "table3",
    "How often, in percent, the row's policy is preferred (cancer treatment)",
    CancerSettings(),
    SMOKE,
    cell=policies_cell,
    rows=policies_rows,
    paper=policies_paper(PAPER),
    version=4,
)
