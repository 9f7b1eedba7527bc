"""Write docs/provenance.md from the settings in the code and tests/golden/studies (`lori reproduce readings`)."""

import json
from pathlib import Path

from lori.experiments.provenance import page

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    kept = ROOT / "tests" / "golden" / "studies" / "readings.json"
    effects = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None
    (ROOT / "docs" / "provenance.md").write_text(page(effects), encoding="utf-8")
