"""Calls that cannot be: each ends with an exception that has words, and none with a crash or an internal error."""

import datetime
import itertools
import os
import warnings

import numpy as np
import pytest

import giga

X, Y = giga.simulate("logistic", rows=60, dim=2, seed=1)
QUICK = {"chains": 1, "draws": 20, "warmup": 20, "size": 4, "threads": 1}


class Odd:
    """Says that it is many things, and is none of them."""

    def __float__(self):
        raise RuntimeError("not a number")

    def __index__(self):
        raise RuntimeError("not an index")

    def __fspath__(self):
        return 3


class Lying:
    shape, dtype, ndim = (3, 2), np.dtype(float), 2

    def __array__(self, dtype=None):
        raise ValueError("no array today")


class BadStream:
    def __arrow_c_stream__(self, schema=None):
        return "not a capsule"


VALUES = [None, True, False, 0, -1, 10**30, -10**30, 2**64, 1e308, -0.0, float("nan"), float("inf"), 1j, "", " ", "x", "--size",
          "\0", "é" * 1000, "a,b", "\ud800", b"bytes", b"\xff", [], [1], ["a", None], {}, {"a": 1}, {1: {2: 3}}, (), set(), {"a"},
          object(), Odd(), lambda: 1, np.array([1.0, 2.0]), np.array("text"), np.nan, np.float32(3), np.datetime64("NaT"),
          range(3), datetime.date(2024, 1, 1), Ellipsis, NotImplemented, type, os, iter([1]), memoryview(b"ab")]

TABLES = [0, 1.5, "", "\0", "no-such-file.csv", b"\xff\xfe.csv", [], [[]], [1, 2], [[1, 2], [3]], {}, {"a": []}, {"a": 1}, {"a": [1, 2], "b": [1]},
          np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(0), np.zeros((2, 2, 2)), np.array(5.0), np.full((5, 2), np.nan), np.full((5, 2), np.inf),
          np.array([[1 + 2j, 3]]), np.array([["a", "b"], ["c", "d"]]), np.array([[None, 1], [2, 3]], dtype=object), np.zeros((4, 2), dtype="V4"),
          np.zeros((4, 2), dtype="m8[s]"), np.array([[object()]]), np.zeros((3, 2), dtype="M8[ns]"), np.broadcast_to(1.0, (5, 3)),
          np.lib.stride_tricks.as_strided(np.zeros(10), (4, 2), (-8, 8))[::-1][:0], object(), Odd(), Lying(), BadStream(), lambda: 1, iter([1]),
          {"a": [object()] * 3, "y": [1, 2, 3]}, {"a": [10**400, 1, 2], "y": [1, 2, 3]}, {"a\0b": [1, 2], "y": [1, 2]}, {"a": "text", "y": [1]},
          {"": [1, 2], "y": [0, 1]}, {3: [1, 2], "y": [0, 1]}, {"a": np.ones((2, 2)), "y": [0, 1]}, {"a": [datetime.date.max, None], "y": [0, 1]},
          {"a": np.array(["300000000-01-01"], dtype="M8[D]"), "y": [1]}, {"y": [1, 2, 3]}, {"a": ["\ud800", "b"], "y": [0, 1]}, {"a": [b"\xff", b"a"], "y": [0, 1]},
          {"a": ["x\0y", "b"] * 5, "y": [0, 1] * 5}, {"a": [["l"], ["m"]], "y": [0, 1]}, {"a" * 10**6: [1, 2], "y": [0, 1]}, memoryview(b"abcd"), ..., type]


def outcome(call):
    """What came of it; a result is fine as well, as long as words come with what is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
            return "done"
        except (giga.Error, TypeError, ValueError, OverflowError, RuntimeError) as error:
            text = str(error)
            assert text and "internal" not in text, (type(error), text)
            assert "--" not in text.replace("--size", ""), text  # as Python spells it
            return type(error).__name__


OPTIONS = ["size", "family", "seed", "prior", "features", "missing", "threads", "intercept", "formula", "projection_dim", "delimiter", "out"]


@pytest.mark.parametrize("option", OPTIONS)
def test_any_value_of_a_keyword(option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = [outcome(lambda: giga.fit(X, y=Y, **{"family": "bernoulli", **QUICK, option: value})) for value in VALUES]
    assert len(set(seen)) > 1, seen


@pytest.mark.parametrize("verb", ["fit", "build", "sample"])
def test_any_table(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = {"family": "gaussian", "noise_scale": 1}
    options.update({"size": 4} if verb == "build" else QUICK if verb == "fit" else {"chains": 1, "draws": 20, "warmup": 20})
    for table in TABLES:
        outcome(lambda: getattr(giga, verb)(table, **options))
        outcome(lambda: getattr(giga, verb)(table, y=[1, 2], **options))


def test_any_response_weights_and_names():
    for value in itertools.chain(VALUES, TABLES):
        outcome(lambda: giga.fit(X, y=value, family="bernoulli", **QUICK))
        outcome(lambda: giga.fit(X, y=Y, weights=value, family="bernoulli", **QUICK))
        outcome(lambda: giga.fit(X, y=Y, names=value, family="bernoulli", **QUICK))


def test_any_argument_of_the_other_verbs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit = giga.build(X, y=Y, family="bernoulli", size=5)
    for value in itertools.chain(VALUES, TABLES):
        for call in (lambda: giga.read(value), lambda: giga.report(value), lambda: giga.summary(value), lambda: giga.merge(value, value),
                     lambda: giga.check(value, fit), lambda: giga.check(X, value, y=Y), lambda: giga.predict(value, X), lambda: giga.simulate(value),
                     lambda: giga.simulate("logistic", rows=value), lambda: giga.build(vectors=value), lambda: giga.sample(fit, chains=value),
                     lambda: fit.sample_weight(value)):
            outcome_of_any(call)


def outcome_of_any(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except (giga.Error, TypeError, ValueError, OverflowError, RuntimeError, IndexError, OSError) as error:
            assert "internal" not in str(error), str(error)


def test_arguments_that_lie_about_their_length():
    class Short(list):
        def __len__(self):
            return 5

    outcome(lambda: giga.fit({"a": Short([1, 2]), "y": [1, 2, 3, 4, 5]}, family="gaussian"))


def test_callables_that_raise_end_the_call():
    def explode(*at):
        raise SystemError("no")

    with pytest.raises(SystemError):
        giga.fit(*giga.simulate("logistic", rows=5000, dim=8)[:1], y=giga.simulate("logistic", rows=5000, dim=8)[1], family="bernoulli",
                 draws=10**6, progress=explode)
