"""float64 inside LORI, the user's own JAX settings outside."""

import multiprocessing

import jax
import jax.numpy as jnp
import pytest

from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision


@pytest.fixture(autouse=True)
def untouched():
    """The global setting before and after every test of this file."""
    assert not jax.config.jax_enable_x64
    yield
    assert not jax.config.jax_enable_x64
    assert jnp.ones(1).dtype == jnp.float32


def test_the_decorated_function_computes_in_double_precision():
    assert double_precision(lambda: jnp.ones(1).dtype)() == jnp.float64


def test_the_setting_comes_back_after_an_error():
    @double_precision
    def failing():
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        failing()


def test_a_prediction_leaves_the_users_setting_alone():
    model = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[1.0, 0.0])
    assert model.predict_proba([[0.1, 0.2]], [[0.3, 0.4]]).dtype == float
    model.compare([[0.1, 0.2]], [[0.3, 0.4]])
    model.sample([[0.1, 0.2]], [[0.3, 0.4]], seed=1)


def test_the_decorated_function_keeps_its_name_and_arguments():
    @double_precision
    def area(width, *, height=2):
        """Of a rectangle."""
        return width * height

    assert area.__name__ == "area"
    assert area.__doc__ == "Of a rectangle."
    assert area(3, height=4) == 12


DOUBLED = double_precision(jax.jit(lambda x: 2 * x))


def _computes(answers: multiprocessing.Queue) -> None:
    try:
        DOUBLED(1.0)
        answers.put("no error")
    except Exception as error:
        answers.put(f"{type(error).__name__}: {error}")


@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning", "ignore:.*fork.*:DeprecationWarning")
def test_a_fork_after_compiled_work_is_told_not_to_compute():
    DOUBLED(1.0)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=_computes, args=(answers,), daemon=True)
    process.start()
    answer = answers.get(timeout=20)
    process.join(20)
    assert answer.startswith("FitError: This process was forked")
    assert "get_context('spawn')" in answer
