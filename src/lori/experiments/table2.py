"""Table 2: whose rewards predict preferences best, when two objectives are ordered?"""

from __future__ import annotations

from lori.experiments.cancer import SMOKE, CancerSettings, rewards_cell, rewards_paper, rewards_rows
from lori.experiments.study import Study

STUDY = Study(
    "table2",
    "Rewards compared by how well they predict preferences (cancer treatment)",
    CancerSettings(),
    SMOKE,
    cell=rewards_cell,
    rows=rewards_rows,
    paper=rewards_paper(
        BIRL=(0.323, 0.005, 88.1, 0.95), T_REX=(0.214, 0.007, 89.1, 0.61), LORI=(0.103, 0.089, 92.4, 2.71)
    ),
    version=3,
)
