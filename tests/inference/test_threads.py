"""Parts for the cores, and what they make of them."""

import pytest

from lori.inference import threads


@pytest.mark.parametrize(("length", "least", "parts"), [(10, 100, 1), (100, 100, 3), (1, 0, 3), (0, 1, 1)])
def test_parts_follow_each_other_and_are_everything(monkeypatch, length, least, parts):
    monkeypatch.setattr(threads, "THREADS", 3)
    cut = threads.cut(length, least)
    assert len(cut) == parts
    assert [i for part in cut for i in range(length)[part]] == list(range(length))


def test_results_come_in_the_order_of_the_parts():
    assert threads.together(pow, [2, 3, 4], [1, 2, 3]) == [2, 9, 64]


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_every_core_works_and_what_one_raises_is_raised(monkeypatch, cores):
    monkeypatch.setattr(threads, "THREADS", cores)
    assert threads.together(lambda x: 2 * x, range(100)) == list(range(0, 200, 2))
    assert threads.together(str, []) == []
    with pytest.raises(ZeroDivisionError):
        threads.together(lambda x: 1 / (x - 30), range(100))
