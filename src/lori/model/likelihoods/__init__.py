"""Likelihoods: how do rewards create what was observed? One for each kind of observation."""

from __future__ import annotations

from lori.model.likelihoods.base import Likelihood as Likelihood
from lori.model.likelihoods.base import Observations as Observations
from lori.model.likelihoods.pairs import Pairs as Pairs
from lori.model.likelihoods.sets import Sets as Sets
