"""Data as people hold it: the same table in any form gives the same coreset and draws as its CSV file."""

import datetime
import decimal

import numpy as np
import pytest

import giga
from arrow_producer import Stream

pd = pytest.importorskip("pandas", reason="apt-get install python3-pandas")

QUICK = {"chains": 2, "draws": 60, "warmup": 100, "times": False, "size": 12}


def files_of(data, formula=None, **options):
    """Coreset, draws and weights; not the companion, which says how a file was read."""
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", giga.GigaWarning)
        files = giga.fit(data, formula, **{**QUICK, **options}).files()
    return {name: content for name, content in files.items() if name.endswith(".csv")}


@pytest.fixture
def flights(folders):
    return folders[1] / "flights.csv"


def test_a_frame_gives_the_bytes_of_its_csv_file(flights):
    frame = pd.read_csv(flights, parse_dates=["date"])
    for formula in ("late ~ hour + carrier", "late ~ hour + date", None):
        options = {"family": "bernoulli", "missing": "drop"}
        if formula is None:
            options.update(response="late", features=["hour", "carrier"])
        assert files_of(frame, formula, **options) == files_of(flights, formula, **options)


def test_columns_of_every_kind_are_those_of_csv(tmp_path):
    rng = np.random.default_rng(2)
    rows = 200
    frame = pd.DataFrame({
        "cat": pd.Categorical(rng.choice(["low", "mid", "high"], rows), categories=["low", "mid", "high", "never"]),
        "truth": rng.random(rows) < 0.5,
        "nullable_truth": pd.array(rng.random(rows) < 0.5, dtype="boolean"),
        "int8": rng.integers(-5, 5, rows).astype(np.int8),
        "uint64": rng.integers(0, 2**63, rows).astype(np.uint64),
        "nullable": pd.array(rng.integers(0, 9, rows), dtype="Int64"),
        "text": pd.array(rng.choice(["a", " b ", "ü"], rows), dtype="string"),
        "object": rng.choice(np.array(["x", "y"], dtype=object), rows),
        "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, rows), unit="D"),
        "moment": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(1, 10**9, rows), unit="ms"),
        "zoned": (pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(1, 10**9, rows), unit="s")).tz_localize("UTC"),
        "y": rng.normal(size=rows)})
    path = tmp_path / "kinds.csv"
    frame.to_csv(path, index=False)
    formula = "y ~ " + " + ".join(name for name in frame.columns if name != "y")
    assert files_of(frame, formula, family="gaussian") == files_of(path, formula, family="gaussian")


def test_missing_cells_of_every_kind_are_dropped_and_refused_as_in_csv(tmp_path):
    rng = np.random.default_rng(3)
    rows = 120
    frame = pd.DataFrame({
        "float": rng.normal(size=rows), "nullable": pd.array(rng.integers(0, 9, rows), dtype="Int64"),
        "cat": pd.Categorical(rng.choice(["a", "b"], rows)), "text": rng.choice(np.array(["x", "y"], dtype=object), rows),
        "truth": pd.array(rng.random(rows) < 0.5, dtype="boolean"),
        "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, rows), unit="D"),
        "y": rng.normal(size=rows)})
    for row, name in enumerate(["float", "nullable", "cat", "text", "truth", "day", "y"]):
        frame.loc[row * 3, name] = None
    path = tmp_path / "missing.csv"
    frame.to_csv(path, index=False)
    options = {"family": "gaussian", "missing": "drop"}
    assert files_of(frame, "y ~ .", **options) == files_of(path, "y ~ .", **options)
    with pytest.raises(giga.DataError) as ours:
        giga.fit(frame, "y ~ .", family="gaussian")
    with pytest.raises(giga.DataError) as theirs:
        giga.fit(path, "y ~ .", family="gaussian")
    import re
    assert str(ours.value).split(": ", 1)[1] == re.sub(r" \(line \d+\)", "", str(theirs.value).split(": ", 1)[1])
    assert "row 1, column 'float'" in str(ours.value)


def test_arrays_of_any_layout_and_type_give_the_bytes_of_the_npy_file(tmp_path):
    X, y = giga.simulate("gaussian", rows=300, theta=[1, -1, 0.5, 2], seed=4)
    X = np.round(X * 8)  # exact in every type
    whole = np.column_stack([X, y])
    np.save(tmp_path / "all.npy", whole)
    expected = files_of(tmp_path / "all.npy", family="gaussian")
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    wide = np.zeros((600, 6))
    wide[::2, ::2] = X
    layouts = {"C": X, "F": np.asfortranarray(X), "float32": X.astype(np.float32), "int64": X.astype(np.int64),
               "int8": X.astype(np.int8), "float16": X.astype(np.float16), "big-endian": X.astype(">f8"),
               "longdouble": X.astype(np.longdouble), "backwards": backwards, "strided": wide[::2, ::2],
               "list": X.tolist(), "read-only": _read_only(X), "masked": np.ma.array(X), "unaligned": _unaligned(X)}
    for name, layout in layouts.items():
        assert files_of(layout, y=y, family="gaussian") == expected, name
    assert files_of(whole, family="gaussian") == expected
    assert files_of({"x1": X[:, 0], "x2": X[:, 1], "x3": X[:, 2], "y": y}, family="gaussian") == expected
    assert files_of(whole, names=["x1", "x2", "x3", "y"], family="gaussian") == expected
    records = np.rec.fromarrays(whole.T, names=["x1", "x2", "x3", "y"])
    assert files_of(records, family="gaussian") == expected


def _read_only(array):
    out = array.copy()
    out.flags.writeable = False
    return out


def _unaligned(array):
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    out = raw[1:].view(np.float64).reshape(array.shape)
    out[...] = array
    return out


def test_sparse_matrices_are_made_dense_up_to_a_limit(monkeypatch):
    sparse = pytest.importorskip("scipy.sparse", reason="apt-get install python3-scipy")
    X, y = giga.simulate("onehot", rows=400, dim=10, seed=1)
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        assert files_of(kind(X), y=y, family="bernoulli") == files_of(X, y=y, family="bernoulli")
    monkeypatch.setattr("giga._data.DENSE_LIMIT", 1000)
    with pytest.raises(ValueError, match=r"sparse matrix of 400 x 10 would take"):
        giga.fit(sparse.csr_matrix(X), y=y, family="bernoulli")


def test_weights_and_responses_may_be_arrays_or_columns(tmp_path):
    X, y = giga.simulate("logistic", rows=300, seed=4)
    w = np.arange(300) % 4
    np.savez(tmp_path / "all.npz", X=X, y=y, w=w.astype(float))
    expected = files_of(tmp_path / "all.npz", weights="w", family="bernoulli")
    assert files_of(X, y=y, weights=w, family="bernoulli") == expected
    frame = pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "y": y, "w": w})
    assert files_of(frame, weights="w", family="bernoulli") == expected
    assert files_of(frame[["x1", "x2"]], y=frame["y"], weights=w, family="bernoulli") == expected
    assert files_of(frame, y="y", weights="w", family="bernoulli") == expected
    labels = np.where(y > 0, "yes", "no")
    assert giga.build(X, y=labels, family="bernoulli", size=5).columns == ["x1", "x2", "y"]


def test_objects_are_numbers_dates_or_text(tmp_path):
    rows = 60
    day = datetime.date(2024, 2, 28)
    frame = pd.DataFrame({
        "n": pd.Series([1, 2.5, decimal.Decimal("0.1"), None] * 15, dtype=object),
        "d": pd.Series([day + datetime.timedelta(days=k % 5) for k in range(rows)], dtype=object),
        "t": pd.Series(["a", "b", "c"] * 20, dtype=object), "y": np.arange(rows) % 7 * 1.0})
    path = tmp_path / "objects.csv"
    frame.to_csv(path, index=False)
    options = {"family": "gaussian", "missing": "drop"}
    assert files_of(frame, "y ~ n + d + t", **options) == files_of(path, "y ~ n + d + t", **options)
    frame["t"] = [["a"]] * rows
    with pytest.raises(TypeError, match="column 't', row 1: has a list"):
        giga.fit(frame, "y ~ t", family="gaussian")
    frame["t"] = [object()] * rows
    with pytest.raises(TypeError, match="column 't' has a object"):
        giga.fit(frame, "y ~ t", family="gaussian")


def arrow_columns():
    rng = np.random.default_rng(6)
    cells = {name: [] for name in ("x", "i", "t", "c", "b", "d", "m", "z", "e", "y")}
    for rows in (70, 0, 53):
        cells["x"].append([float(v) for v in rng.normal(size=rows)])
        cells["i"].append([int(v) for v in rng.integers(-9, 9, rows)])
        cells["t"].append([["u", "ü", "a text of more than twelve bytes"][v] for v in rng.integers(0, 3, rows)])
        cells["c"].append([int(v) for v in rng.integers(0, 2, rows)])
        cells["b"].append([bool(v) for v in rng.integers(0, 2, rows)])
        cells["d"].append([int(v) for v in rng.integers(19000, 19100, rows)])
        cells["m"].append([int(v) for v in rng.integers(1, 10**9, rows)])
        cells["z"].append([int(v) for v in rng.integers(-10**6, 10**6, rows)])
        cells["e"].append([float(v) for v in rng.integers(-8, 8, rows)])
        cells["y"].append([float(v) for v in rng.normal(size=rows)])
    return cells


@pytest.mark.parametrize("offset, texts", [(0, "u"), (3, "vu"), (11, "U")])
def test_arrow_streams_are_read_batch_by_batch(offset, texts, tmp_path):
    cells = arrow_columns()
    cells["x"][0][4] = cells["t"][2][1] = cells["i"][2][0] = cells["b"][0][3] = None
    stream = Stream([("x", "g", cells["x"]), ("i", "s", cells["i"]), ("t", "u", cells["t"]),
                     ("T", texts, cells["t"]), ("c", "c", cells["c"], ["no", "so"]), ("b", "b", cells["b"]),
                     ("d", "tdD", cells["d"]), ("m", "tsm:", cells["m"]), ("z", "d:20,3", cells["z"]),
                     ("e", "e", cells["e"]), ("y", "g", cells["y"])], offset, dictionary_format=texts)
    flat = {name: sum(parts, []) for name, parts in cells.items()}
    days = np.array(flat["d"], dtype="datetime64[D]")
    moments = np.array(flat["m"], dtype="datetime64[ms]")
    frame = pd.DataFrame({
        "x": flat["x"], "i": flat["i"], "t": flat["t"], "T": flat["t"], "c": [["no", "so"][v] for v in flat["c"]],
        "b": [None if v is None else str(v).lower() for v in flat["b"]], "d": days.astype(str), "m": moments.astype(str),
        "z": [v / 1000 for v in flat["z"]], "e": flat["e"], "y": flat["y"]})
    path = tmp_path / "arrow.csv"
    frame.to_csv(path, index=False)
    formula = "y ~ x + i + t + T + c + b + d + m + z + e"
    options = {"family": "gaussian", "missing": "drop"}
    assert files_of(stream, formula, **options) == files_of(path, formula, **options)
    assert stream.released == 3


def test_arrow_streams_that_cannot_be_read_say_why():
    y = [[1.0, 2.0]]
    with pytest.raises(giga.DataError, match="column 'l' is nested"):
        giga.fit(Stream([("l", "+l", y), ("y", "g", y)]), family="gaussian")
    with pytest.raises(giga.DataError, match="Arrow stream failed: the disk is gone"):
        giga.fit(Stream([("x", "g", y * 3), ("y", "g", y * 3)], error=b"the disk is gone"), family="gaussian")
    with pytest.raises(giga.DataError, match="a code is beyond its dictionary"):
        giga.fit(Stream([("c", "i", [[0, 9]], ["a"]), ("y", "g", y)]), family="gaussian")
    with pytest.raises(giga.DataError, match="column 'n' is empty in every row|missing"):
        giga.fit(Stream([("n", "n", [[None, None]]), ("y", "g", y)]), family="gaussian")


def test_predictions_of_frames_and_arrays_are_those_of_files(folders):
    frame = pd.read_csv(folders[1] / "flights.csv").dropna()
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", giga.GigaWarning)
        fit = giga.fit(frame, "late ~ hour + carrier", family="bernoulli", **QUICK)
    frame.to_csv("new.csv", index=False)
    expected = fit.predict("new.csv", pointwise=True).frame()
    assert fit.predict(frame, pointwise=True).frame().equals(expected)
    assert fit.predict(frame[["carrier", "hour"]]).frame().equals(expected.drop(columns="log_density"))
    with pytest.raises(giga.DataError, match="carrier"):
        fit.predict(frame[["hour"]])
    with pytest.raises(giga.DataError, match="row 2, column 'carrier': 'ZZ'"):
        fit.predict(pd.DataFrame({"hour": [5, 6], "carrier": ["AA", "ZZ"]}))


def test_float64_in_c_order_is_not_copied():
    """By the memory of a process of its own: a float32 array must become a table of the library's own."""
    import subprocess
    import sys
    code = """
import numpy as np, sys, giga
rng = np.random.default_rng(1)
X = rng.standard_normal((400_000, 20), dtype=sys.argv[1])
y = X[:, 0].astype(float)
def resident(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what)) / 1024
before = resident("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
giga.build(X, y=y, family="gaussian", noise_scale=1, size=5, candidates=1000, threads=1)
print(resident("VmHWM") - before)
"""
    grown = {kind: float(subprocess.run([sys.executable, "-c", code, kind], capture_output=True, text=True,
                                        check=True).stdout) for kind in ("float64", "float32")}
    table = 400_000 * 20 * 8 / 2**20
    assert grown["float32"] - grown["float64"] > 0.9 * table, grown
