"""Parts for the cores, and what they make of them."""

import threading
from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lori.inference import threads
from lori.inference.threads import without_blas_threads


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


def test_parts_of_parts_are_done_by_whoever_asks():
    def inner(number: int) -> list[tuple[int, str]]:
        return threads.together(lambda part: (part, threading.current_thread().name), [number] * 3)

    for number, found in enumerate(threads.together(inner, range(20))):
        assert [part for part, _ in found] == [number] * 3
        assert len({name for _, name in found}) == 1


@pytest.mark.parametrize("lengths", [[], [0], [40], [1] * 30, [3, 0, 25, 1, 1]])
def test_results_come_in_the_order_of_the_sources(lengths):
    sources = [iter([(number, place) for place in range(length)]) for number, length in enumerate(lengths)]
    expected = [(number, place) for number, length in enumerate(lengths) for place in range(length)]
    assert threads.shared(lambda item: item, sources) == expected


def test_nothing_is_read_before_somebody_is_free(monkeypatch):
    """Items of one source are read one after the other, and no more are held than there are cores."""
    held, most, lock = 0, 0, threading.Lock()

    def source() -> Iterator[int]:
        nonlocal held, most
        for item in range(50):
            with lock:
                held += 1
                most = max(most, held)
            yield item

    def done(item: int) -> None:
        nonlocal held
        with lock:
            held -= 1

    threads.shared(done, [source() for _ in range(5)])
    assert held == 0
    assert most <= threads.THREADS


def test_a_source_is_read_while_its_last_item_is_worked_on():
    meeting = threading.Barrier(min(2, threads.THREADS), timeout=60)
    assert threads.shared(lambda item: meeting.wait() >= 0 and item, [iter(range(2))]) == [0, 1]


def failing(number: int, begun: list[int], until: int) -> Iterator[int]:
    begun.append(number)
    yield from range(until)
    raise ValueError(f"source {number}")


def test_the_first_of_several_errors_is_raised_and_little_is_read_after_it():
    for _ in range(20):
        begun: list[int] = []
        with pytest.raises(ValueError, match="source 0"):
            threads.shared(
                lambda item: item, [failing(number, begun, 10 if number == 0 else 0) for number in range(90)]
            )
        assert len(begun) <= threads.THREADS
    with pytest.raises(ZeroDivisionError):
        threads.shared(lambda item: 1 // item, [iter([1, 2]), iter([0, 1])])
    assert threads.shared(abs, [iter([-1])]) == [1]


def blas_threads() -> set[int]:
    return {own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas"}


def test_libraries_have_their_threads_again_when_the_last_has_left():
    """In whatever order those who asked leave."""
    threads._libraries.cache_clear()  # what other tests have loaded since is known, too
    with threadpool_limits(3, user_api="blas"):
        first, second = without_blas_threads(), without_blas_threads()
        first.__enter__()
        second.__enter__()
        assert blas_threads() == {1}
        first.__exit__()
        assert blas_threads() == {1}
        second.__exit__()
        assert blas_threads() == {3}


def test_libraries_have_their_threads_again_when_something_goes_wrong():
    @without_blas_threads()
    def fails() -> None:
        assert blas_threads() == {1}
        raise ZeroDivisionError

    threads._libraries.cache_clear()
    with threadpool_limits(3, user_api="blas"):
        with pytest.raises(ZeroDivisionError):
            fails()
        assert blas_threads() == {3}
