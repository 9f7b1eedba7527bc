"""Table 5: whose policies are preferred, when there is a single true reward? (appendix B)"""

from __future__ import annotations

from dataclasses import replace

from lori.experiments.cancer import SMOKE, CancerSettings, policies_cell, policies_paper, policies_rows
from lori.experiments.study import Study

PAPER = {
    "BC": {"Behaviour": (48.8, 2.17)},
    "BIRL": {"Behaviour": (68.2, 1.39), "BC": (69.6, 0.96)},
    "T-REX": {"Behaviour": (72.8, 1.36), "BC": (73.7, 1.00), "BIRL": (55.3, 1.26)},
    "Optimal": {"Behaviour": (74.4, 1.70), "BC": (74.7, 1.32), "BIRL": (57.2, 0.74), "T-REX": (52.4, 1.07)},
    "LORI": {
        "Behaviour": (79.0, 1.29), "BC": (78.9, 0.43), "BIRL": (61.5, 1.06), "T-REX": (56.3, 1.75),
        "Optimal": (54.1, 1.25),  # printed the other way round: 45.9
    },
}  # fmt: skip

STUDY = Study(
    "table5",
    "How often, in percent, the row's policy is preferred (cancer treatment, a single true reward)",
    CancerSettings(single=True),
    replace(SMOKE, single=True),
    cell=policies_cell,
    rows=policies_rows,
    paper=policies_paper(PAPER),
    version=4,
)
