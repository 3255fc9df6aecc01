"""Keywords are the command's options: names, help, defaults and messages cannot differ from them."""

import doctest
import inspect
import pathlib
import re
import warnings

import numpy as np
import pytest

import giga
import make_stubs
from giga import _giga, _options, verbs

VERBS = ["fit", "build", "sample", "check", "merge", "predict", "report"]


def test_the_version_is_that_of_the_library():
    root = pathlib.Path(__file__).resolve().parents[2]
    assert f"project(giga VERSION {giga.__version__} " in (root / "CMakeLists.txt").read_text()


def test_the_stub_is_made_of_the_options():
    path = pathlib.Path(giga.__file__).parent / "__init__.pyi"
    assert path.read_text() == make_stubs.stub(), "run python/tests/make_stubs.py"


@pytest.mark.parametrize("verb", VERBS)
def test_keywords_are_the_options_of_the_command(verb, command, tmp_path):
    text = command(verb, "--help-all", cwd=tmp_path)
    options = set(re.findall(r"^  (?:-h,)?--([a-z0-9-]+)", text, re.MULTILINE)) - {"help", "help-all", "json", "quiet"}
    keywords = {each[3:] if each.startswith("no-") else each for each in options}
    known = set(inspect.signature(getattr(giga, verb)).parameters)
    assert {each.replace("-", "_") for each in keywords} <= known
    for name in _options.VERBS[verb].options:
        assert f"    {name}\n" in getattr(giga, verb).__doc__ or name in ("formula", "weights", "strict", "out")


def test_docstrings_run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", giga.GigaWarning)
        for module in (giga, verbs):
            found = doctest.testmod(module)
            assert found.attempted > 2 and found.failed == 0


@pytest.mark.parametrize("text, expected", [
    ("`max_depth` is 3", "max_depth= is 3"),
    ("drop such rows with `missing = drop`", 'drop such rows with missing="drop"'),
    ("use `header = false`", "use header=False"),
    ("--size is 'x'; must be", "size= is 'x'; must be"),
    ("--link log does not go with --family gamma; it takes", 'link="log" does not go with family="gamma"; it takes'),
    ("add --remainder-dim 500, or", "add remainder_dim=500, or"),
    ("try --threads 1", "try threads=1"),
    ("give DATA, --sql QUERY, or --resume DIR", "give DATA, sql=QUERY, or resume=DIR"),
    ("leave out --autoscale", "leave out autoscale=True"),
    ("a--size b --no-such-option `file name`.csv", "a--size b --no-such-option `file name`.csv"),
    ("--no-intercept has no effect", "intercept=False has no effect"),
])
def test_messages_are_spelled_for_python(text, expected):
    assert _giga.keyword_text(text) == expected


def message(error, *words, **options):
    with pytest.raises(error) as caught:
        giga.fit(*words, **options)
    return str(caught.value)


def test_wrong_keywords_are_named_with_what_was_meant():
    X, y = giga.simulate("logistic", rows=50, seed=1)
    assert message(TypeError, X, y=y, famly="bernoulli").endswith("'famly'; did you mean family=?")
    assert message(TypeError, X, y=y, no_intercept=True).endswith("say intercept=False")
    assert message(TypeError, X, y=y, qqq=1).endswith("help(giga.fit) lists them")
    assert message(TypeError, X, y=y, family="bernoulli", intercept=0).startswith("intercept= is a int; must be True")
    assert message(TypeError, X, y=y, family="bernoulli", size=True).startswith("size= is True; must be a value")
    assert message(giga.OptionError, X, y=y, family="bernoulli", size=-1).startswith("size= is -1; must be")
    assert message(giga.OptionError, X, y=y, family="bernoulli", size=1.5).startswith("size= is 1.5; must be")
    assert message(giga.OptionError, X, y=y, family="gauss").startswith("family= is 'gauss'; must be one of")
    assert message(giga.OptionError, X, y=y).startswith("family= is needed")
    assert message(giga.OptionError, X, y=y, family="poisson", prior_sigma="flat").startswith(
        'prior_sigma= has no effect with family="poisson"')
    assert "target_accept=" in message(giga.OptionError, X, y=y, family="poisson", sampler="rwmh", target_accept=0.9)
    assert message(giga.OptionError).startswith("no input; give")
    assert message(giga.InputMissing, "no/such.csv", family="poisson").startswith("no/such.csv: no such file")
    assert isinstance(_caught(lambda: giga.read("no/such")), FileNotFoundError)


def _caught(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001
        return error
    return None


def test_values_become_the_texts_of_the_command():
    fit = _options.VERBS["fit"]
    given = fit.settings({"size": np.int64(20), "tolerance": np.float32(0.5), "features": ["a", "b,c", ' "d"'],
                          "prior": {"x1": "normal(0, 2)"}, "intercept": False, "standardise": True, "seed": None,
                          "force": True, "out": pathlib.Path("a/b"), "prior_scale": 2.0}, "fit")
    assert given == [("size", b"20"), ("tolerance", b"0.5"), ("features", b'a,"b,c"," ""d"""'),
                     ("prior", b"x1=normal(0, 2)"), ("no-intercept", b"true"), ("force", b"true"), ("out", b"a/b"),
                     ("prior-scale", b"2")]
    assert fit.settings({"prior": ["flat", "x1=flat"]}, "fit") == [("prior", b"flat"), ("prior", b"x1=flat")]


def test_options_may_be_in_a_file(tmp_path):
    X, y = giga.simulate("logistic", rows=300, seed=1)
    (tmp_path / "fit.toml").write_text('family = "bernoulli"\nsize = 7\n')
    assert len(giga.build(X, y=y, config=tmp_path / "fit.toml")) <= 7
    assert len(giga.build(X, y=y, config=tmp_path / "fit.toml", size=3)) <= 3
    (tmp_path / "fit.toml").write_text('family = "bernoulli"\nsize = none\n')
    with pytest.raises(giga.OptionError, match="fit.toml, line 2.*size= is 'none'"):
        giga.build(X, y=y, config=tmp_path / "fit.toml")


def test_outputs_that_exist_are_not_replaced_without_force(tmp_path):
    X, y = giga.simulate("logistic", rows=300, seed=1)
    options = {"family": "bernoulli", "size": 5, "out": tmp_path / "c.csv"}
    giga.build(X, y=y, **options)
    error = _caught(lambda: giga.build(X, y=y, **options))
    assert isinstance(error, giga.CannotCreate) and isinstance(error, FileExistsError) and "force=True" in str(error)
    giga.build(X, y=y, force=True, **options)
