"""The same jobs by the command and by Python: the same files, byte for byte.

run.json and certificate.json of jobs that measure times differ in what was measured alone: TIMES. All else, the line
of the command included, is the same, since a call with paths is a command line.
"""

import contextlib
import json
import re
import warnings

import pytest

import giga

# Measured, and so other in every run.
TIMES = {"seconds", "total_s", "peak_bytes", "gradients_per_second"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items()
                if key not in TIMES and not key.endswith(("_s", "_seconds"))}
    if isinstance(value, list):
        return [without_times(each) for each in value]
    return value


def files_in(folder):
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def expect_same_files(folders, timed=()):
    """All files of both folders, but that `timed` are compared without times."""
    ours, theirs = files_in(folders[1]), files_in(folders[0])
    assert sorted(ours) == sorted(theirs)
    for name, path in ours.items():
        if name in timed:
            mine, other = (without_times(json.loads(each.read_text())) for each in (path, theirs[name]))
            assert mine == other, name
        else:
            assert path.read_bytes() == theirs[name].read_bytes(), name
    return ours


def keywords_of(words):
    """["--size", "20", "--no-header"] as keywords, in the way docs/python.md tells."""
    out, words = {}, list(words)
    while words:
        name = words.pop(0)[2:]
        if name.startswith("no-"):
            out[name[3:].replace("-", "_")] = False
        elif not words or words[0].startswith("--"):
            out[name.replace("-", "_")] = True
        else:
            value = words.pop(0)
            name = name.replace("-", "_")
            if re.fullmatch(r"-?\d+", value):
                value = int(value)
            elif re.fullmatch(r"-?\d*\.\d+", value):
                value = float(value)
            elif name in out:
                value = [*([out[name]] if not isinstance(out[name], list) else out[name]), value]
            out[name] = value
    return out


FITS = {
    "labels": (["late.csv"], ["--family", "bernoulli"]),
    "sized": (["late.csv"], ["--family", "bernoulli", "--size", "15", "--seed", "7"]),
    "formula": (["flights.csv", "late ~ hour + carrier"], ["--family", "bernoulli", "--missing", "drop"]),
    "text": (["flights.csv", "late ~ hour + carrier + date"],
             ["--family", "bernoulli", "--missing", "drop", "--success", "no"]),
    "groups": (["flights.csv", "late ~ hour + (1 | carrier)"], ["--family", "bernoulli", "--missing", "drop"]),
    "spline": (["flights.csv", "distance ~ ns(hour, 3)"], ["--family", "gamma", "--missing", "drop"]),
    "counts": (["counts.csv"], ["--family", "poisson", "--prior-scale", "2.5"]),
    "priors": (["counts.csv"], ["--family", "poisson", "--prior", "normal(0, 2)", "--prior", "x1=student_t(4, 0, 1)",
                                "--prior-intercept", "normal(0, 5)"]),
    "learnt": (["lengths.npy"], ["--family", "gaussian"]),
    "noise": (["lengths.npy"], ["--family", "gaussian", "--noise-scale", "0.5", "--no-standardise"]),
    "sparse": (["more.svm"], ["--family", "bernoulli", "--thin", "1"]),
    "random": (["late.csv"], ["--family", "bernoulli", "--projection", "random", "--projection-dim", "300"]),
    "two files": (["late.csv", "late2.csv"], ["--family", "bernoulli"]),
    "hmc": (["late.csv"], ["--family", "bernoulli", "--sampler", "hmc", "--features", "x1,x3", "--no-intercept"]),
}


@contextlib.contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", giga.GigaWarning)
        yield


@pytest.mark.parametrize("name", FITS)
def test_fits_write_the_files_of_the_command(name, command, folders):
    words, options = FITS[name]
    if name != "labels":
        options = ["--chains", "2", "--draws", "300", *options]
    for folder in folders:
        (folder / "late2.csv").write_bytes((folder / "late.csv").read_bytes())
    command("fit", *words, *options, "--no-times", "--out", "fit", cwd=folders[0])
    formula = words[1] if len(words) > 1 and "~" in words[1] else None
    data = words[0] if len(words) == 1 or formula else words
    with quiet():
        made = giga.fit(data, formula, **keywords_of(options), times=False, out="fit")
    files = expect_same_files(folders)
    assert json.loads(files["fit/run.json"].read_text()) == made.record


def test_a_fit_without_a_folder_has_the_files_that_it_would_have_written(folders):
    with quiet():
        written = giga.fit("late.csv", family="bernoulli", times=False, out="fit")
        kept = giga.fit("late.csv", family="bernoulli", times=False)
    assert kept.folder is None
    assert kept.files() == written.files()


BUILDS = {
    "table": (["late.csv"], ["--family", "bernoulli", "--size", "20"]),
    "text": (["flights.csv", "late ~ hour * carrier"], ["--family", "bernoulli", "--missing", "drop"]),
    "vectors": ([], ["--vectors", "V.npy", "--size", "10"]),
    "loglik": ([], ["--loglik", "LL.npy", "--tolerance", "0.3"]),
    "published": ([], ["--vectors", "V.npy", "--method", "giga", "--size", "25"]),
    "weighted": (["late.csv"], ["--family", "gaussian", "--noise-scale", "1", "--response", "x1", "--weights", "x9",
                                "--features", "x2"]),
}


@pytest.mark.parametrize("name", BUILDS)
def test_builds_write_the_files_of_the_command(name, command, folders):
    words, options = BUILDS[name]
    for folder in folders:  # a column of weights
        lines = (folder / "late.csv").read_text().splitlines()
        lines = [line + ("," + ("x9" if n == 0 else str(n % 5))) for n, line in enumerate(lines)]
        if name == "weighted":
            (folder / "late.csv").write_text("\n".join(lines) + "\n")
    command("build", *words, *options, "--out", "coreset.csv", cwd=folders[0])
    made = giga.build(*words, **keywords_of(options), out="coreset.csv")
    files = expect_same_files(folders)
    assert made.files()["coreset.csv"] == files["coreset.csv"].read_bytes()
    assert giga.read("coreset.csv").weights.tolist() == made.weights.tolist()


def test_samples_checks_predictions_merges_and_reports_write_the_files_of_the_command(command, folders):
    def both(verb, words, options, call):
        command(verb, *words, *options, cwd=folders[0])
        with quiet():
            return call(*words, **keywords_of(options))

    # 1 to 4: a coreset, its draws, the certificate of these, predictions by them.
    both("build", ["late.csv"], ["--family", "bernoulli", "--out", "coreset.csv"], giga.build)
    sampled = both("sample", ["coreset.csv"], ["--draws", "700", "--out", "draws"], giga.sample)
    checked = both("check", ["late.csv", "coreset.csv", "draws"], [], giga.check)
    assert checked.safe
    both("predict", ["draws", "late.csv"], ["--seed", "3", "--out", "predicted.csv"], giga.predict)
    # 5 to 8: of all rows, a record elsewhere, log densities, other quantiles.
    both("sample", ["counts.csv"], ["--family", "poisson", "--sampler", "rwmh", "--out", "all"], giga.sample)
    both("check", ["late.csv", "coreset.csv"], ["--draws", "500", "--out", "certificate.json"], giga.check)
    both("predict", ["draws", "late.csv"], ["--pointwise", "--no-new", "--out", "scores.csv"], giga.predict)
    both("predict", ["draws", "late.csv"], ["--quantiles", "0.025,0.975", "--draws", "200", "--out", "wide.csv"],
         giga.predict)
    # 9 to 12: shards, merged and as they are; reports.
    for folder in folders:
        lines = (folder / "late.csv").read_text().splitlines()
        (folder / "a.csv").write_text("\n".join(lines[:700]) + "\n")
        (folder / "b.csv").write_text("\n".join([lines[0], *lines[700:]]) + "\n")
    for shard in "ab":
        both("build", [f"{shard}.csv"], ["--family", "bernoulli", "--out", f"{shard}-coreset.csv"], giga.build)
    both("merge", ["a-coreset.csv", "b-coreset.csv"], ["--out", "merged.csv"], giga.merge)
    both("merge", ["a-coreset.csv", "b-coreset.csv"], ["--union", "--out", "union.csv"], giga.merge)
    # A page shows the times of run.json, so both are of one folder.
    command("report", "draws", "--title", "Late", "--out", "late.html", cwd=folders[0])
    giga.report(folders[0] / "draws", title="Late", out="late.html")
    expect_same_files(folders, ("draws/run.json", "draws/certificate.json", "all/run.json", "certificate.json",
                                "merged.json", "union.json"))
    assert giga.read("draws").draws.values.tolist() == sampled.draws.values.tolist()
    table = giga.summary("draws").frame()
    assert len(table) == 1 + 2 * len(sampled.names)


def test_summaries_are_those_of_the_command(command, folders):
    with quiet():
        giga.sample("counts.csv", family="poisson", chains=2, draws=300, out="draws")
    text = command("summary", folders[1] / "draws", "--csv", cwd=folders[0])
    from giga.results import Table
    expected = Table.from_csv(text, "variable")
    for name, values in giga.summary("draws").table.columns.items():
        assert values.tolist() == expected[name].tolist() or values.dtype.kind == "f" and \
            [repr(a) for a in values] == [repr(b) for b in expected[name]]


@pytest.mark.parametrize("kind, options", [
    ("logistic", ["--rows", "100", "--dim", "4"]), ("poisson", ["--rows", "50"]), ("gaussian", ["--theta", "1,-2,0.5"]),
    ("onehot", ["--rows", "200", "--dim", "40"]), ("vectors", ["--rows", "20", "--kind", "lowrank"])])
def test_simulations_write_the_files_of_the_command(kind, options, command, folders):
    command("simulate", kind, *options, "--out", "made.npy", cwd=folders[0])
    giga.simulate(kind, **keywords_of(options), out="made.npy")
    expect_same_files(folders)


def test_a_run_that_was_stopped_goes_on_to_the_same_files(command, folders):
    """Python stops; the command goes on."""
    def stop_soon(stage, done, total):
        if stage in ("sample", "certify", "report"):
            raise ValueError("enough")

    options = {"family": "bernoulli", "times": False, "draws": 20000, "out": "fit"}
    with pytest.raises(ValueError, match="enough"):
        giga.fit("late.csv", **options, progress=stop_soon)
    assert (folders[1] / "fit" / "partial").exists()
    command("fit", "late.csv", "--family", "bernoulli", "--no-times", "--draws", "20000", "--out", "fit", cwd=folders[0])
    with quiet():
        giga.fit(resume="fit")
    expect_same_files(folders)
    with pytest.raises(giga.OptionError, match="is complete"):
        giga.fit(resume="fit")
