"""What the tests share: the command to compare with, and small tables."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import giga


@pytest.fixture(scope="session")
def command():
    """Runs the command: command("fit", "a.csv", ..., cwd=folder)."""
    path = os.environ.get("GIGA_COMMAND")
    if not path:
        pytest.skip("GIGA_COMMAND does not name the command; build it with: cmake --build build/release")

    def run(*words, cwd):
        made = subprocess.run([path, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
        assert made.returncode in (0, 1), made.stderr
        return made.stdout

    return run


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders with the same tables, for the command and for Python; the test runs in the second."""
    out = []
    for name in ("command", "python"):
        folder = tmp_path / name
        folder.mkdir()
        write_tables(folder)
        out.append(folder)
    monkeypatch.chdir(out[1])
    return out


_TABLES = {}


def write_tables(folder):
    if not _TABLES:
        _TABLES.update(made_tables())
    for name, content in _TABLES.items():
        (pathlib.Path(folder) / name).write_bytes(content)


def made_tables():
    """Files of regressions, and one with text, dates and missing cells."""
    import tempfile

    out = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        giga.simulate("logistic", rows=1500, dim=3, seed=4, out=folder / "late.csv")
        giga.simulate("poisson", rows=1000, link="log", theta=[0.5, -0.5, 1], seed=5, out=folder / "counts.csv")
        giga.simulate("gaussian", rows=800, seed=6, out=folder / "lengths.npy")
        giga.simulate("logistic", rows=700, dim=3, seed=7, out=folder / "more.svm")
        giga.simulate("vectors", rows=300, dim=8, seed=8, out=folder / "V.npy")
        rng = np.random.default_rng(1)
        np.save(folder / "LL.npy", rng.normal(size=(40, 200)))
        (folder / "flights.csv").write_text(flights(rng))
        for each in folder.iterdir():
            out[each.name] = each.read_bytes()
    return out


def flights(rng, rows=900):
    """A table of text, a date, an unused column and a few missing cells."""
    lines = ["id,hour,carrier,date,distance,late"]
    carriers = ["AA", "B6", "DL", "ünited, \"U\""]
    for n in range(rows):
        hour = "" if n % 97 == 5 else str(int(rng.integers(5, 24)))
        carrier = carriers[int(rng.integers(4))]
        quoted = '"' + carrier.replace('"', '""') + '"' if "," in carrier else carrier
        date = f"2013-{1 + n % 12:02d}-{1 + n % 28:02d}"
        chance = 0.2 + 0.4 * (carrier == "AA")
        distance = f"{rng.gamma(2, 500):.1f}".removesuffix(".0")  # as the shortest text has it
        late = "yes" if rng.random() < chance else "no"
        lines.append(f"f{n},{hour},{quoted},{date},{distance},{late}")
    return "\n".join(lines) + "\n"
