"""Table 4: whose rewards predict preferences best, when there is a single one? (appendix B)"""

from __future__ import annotations

from dataclasses import replace

from lori.experiments.cancer import SMOKE, CancerSettings, rewards_cell, rewards_paper, rewards_rows
from lori.experiments.study import Study

STUDY = Study(
    "table4",
    "Rewards compared by how well they predict preferences (cancer treatment, a single true reward)",
    CancerSettings(single=True),
    replace(SMOKE, single=True),
    cell=rewards_cell,
    rows=rewards_rows,
    paper=rewards_paper(
        BIRL=(0.142, 0.038, 94.5, 0.24), T_REX=(0.015, 0.004, 97.0, 0.21), LORI=(0.025, 0.011, 96.9, 0.32)
    ),
    version=3,
)
