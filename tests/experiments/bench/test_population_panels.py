"""Are published panels read as they should be, and cases skipped without them?"""

from lori.experiments.bench import population_panels


def test_without_the_data_the_cases_are_skipped(monkeypatch, tmp_path):
    monkeypatch.setenv("LORI_DATA", str(tmp_path))
    for measured in (
        population_panels.measure(population_panels.SMOKE),
        population_panels.measure_train(population_panels.TRAIN_SMOKE),
    ):
        assert measured.rows[0].note.startswith("skipped: the data are not here")
        assert not measured.claims
