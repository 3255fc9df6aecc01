#!/usr/bin/env python3
"""Hostile strings, in every place from which text reaches a page, a table, a record, a terminal or the name of a file.

  hostile_test.py --giga COMMAND            every string in every place at least once; together where a place has room for many
  hostile_test.py --giga COMMAND --all      each string in each place by itself
  hostile_test.py --giga COMMAND --reports FOLDER   only makes the reports, for the browser

strings.py has the strings, inert.py says what it means that they do nothing.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import inert
from strings import HOSTILE, as_file_name

GIGA, ALL = "giga", False
CHAINS = ["--chains", "1", "--warmup", "60", "--draws", "60", "--threads", "1"]
STRINGS = list(HOSTILE.values())
LEVELS = [text for text in STRINGS if len(text.encode()) <= 1000]  # longer levels are refused
assert len(LEVELS) >= 60 and len(set(STRINGS)) == len(STRINGS)


def csv_text(rows):
    out = io.StringIO(newline="")
    # Text in quotes: blanks and tabs around what has none are not part of it.
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return out.getvalue().encode()


def some(strings, step=6):
    """All strings with --all; else some, chosen by place, so that together places see each."""
    return list(strings) if ALL else list(strings)[::step]


def one_in_turn(k, *places):
    """All places with --all; else the next one for each string, so that every string and every place is seen."""
    return places if ALL else (places[k % len(places)],)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="giga-security-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.work = self.folder / "deep" / "er"  # a name that climbs out of it stays in self.folder
        self.work.mkdir(parents=True)

    def giga(self, *words, code=0, data=None, text=True):
        """Runs the command: whatever it says is inert. `text`: what is on stdout is for people, not a table."""
        result = subprocess.run([GIGA, *words], cwd=self.work, input=data, capture_output=True, check=False)
        inert.terminal(result.stderr)
        if text:
            inert.terminal(result.stdout)
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(result.returncode, codes, (words, result.stderr[-600:]))
        return result

    def refused(self, *words, data=None):
        """An error, in one message."""
        result = self.giga(*words, code=(64, 65, 66, 73), data=data)
        self.assertIn(b"giga: error: ", result.stderr)
        self.assertNotIn(b"internal", result.stderr)
        return result

    def write(self, name, rows):
        (self.work / name).write_bytes(csv_text(rows))
        return name

    def inert_run(self, folder, expected=()):
        """All files of a run."""
        folder = self.work / folder
        names = {path.name for path in folder.iterdir()}
        self.assertIn("report.html", names)
        for path in sorted(folder.iterdir()):
            raw = path.read_bytes()
            if path.suffix == ".html":
                inert.page(raw, self.harmless_marks())
            elif path.suffix == ".json":
                inert.record(raw, expected if path.name in ("run.json", "coreset.json") else ())
            elif path.suffix == ".csv":
                inert.table(raw)
            else:
                self.fail(f"a run has a file of another kind: {path.name}")
        return names

    _marks = None

    def harmless_marks(self):
        """Elements and attributes of reports whose names are harmless, with all kinds of parts that a report has."""
        if Hostile._marks is None:
            with tempfile.TemporaryDirectory() as folder:
                r = random.Random(1)
                rows = [["x", "g", "a" * 60, "y"]] + [[r.random(), r.choice("abcdef"), r.random(), r.choice("nnny")]
                                                     for _ in range(300)]
                (pathlib.Path(folder) / "t.csv").write_bytes(csv_text(rows))
                for out, words in (("a", []), ("b", ["y ~ x + (1 | g)"]), ("c", ["--prior-scale", "0.01", "--size", "3"])):
                    subprocess.run([GIGA, "fit", "t.csv", *words, "--family", "bernoulli", "--out", out, *CHAINS], cwd=folder,
                                   check=True, capture_output=True)
                Hostile._marks = set().union(*(inert.page((pathlib.Path(folder) / out / "report.html").read_bytes()).marks
                                               for out in "abc"))
        return Hostile._marks

    # What tables are made of. A column per string: 400 rows, the response from some of them.
    def columns(self, names, rows=150):
        r = random.Random(2)
        return [[*names, "y"]] + [[round(r.gauss(0, 1), 3) for _ in names] + [r.randrange(2)] for _ in range(rows)]

    def levels(self, levels, each=6):
        r = random.Random(3)
        rows = [[level, round(r.gauss(0, 1), 3), r.randrange(2)] for level in levels for _ in range(each)]
        r.shuffle(rows)
        return [["g", "x", "y"], *rows]

    def test_names_of_columns(self):
        for names in ([[s] for s in STRINGS] if ALL else [STRINGS]):
            shutil.rmtree(self.work / "fit", ignore_errors=True)
            self.write("t.csv", self.columns(names))
            self.giga("fit", "t.csv", "--family", "bernoulli", "--response", "y", "--out", "fit", *CHAINS)
            self.inert_run("fit", names)
            heading = inert.table((self.work / "fit/coreset.csv").read_bytes())[0]
            self.assertEqual([inert.plain(cell) for cell in heading], ["row", "weight", *names, "y"])
            variables = {inert.plain(row[0]) for row in inert.table((self.work / "fit/summary.csv").read_bytes())}
            self.assertLessEqual(set(names), variables)
            self.giga("summary", "fit")
            self.giga("report", "fit", "--title", names[0], "--out", "again.html", "--force")
            inert.page((self.work / "again.html").read_bytes(), self.harmless_marks())
            self.giga("check", "t.csv", "fit/coreset.csv", "fit", *CHAINS[:2], "--threads", "1", code=(0, 64))
            inert.table(self.giga("predict", "fit", "t.csv", text=False).stdout)
            inert.record(self.giga("sample", "fit/coreset.csv", "--json", *CHAINS).stdout, names)
            built = self.giga("build", "t.csv", "--family", "bernoulli", "--response", "y", "--size", "5", text=False)
            self.assertEqual([inert.plain(cell) for cell in inert.table(built.stdout)[0]], ["row", "weight", *names, "y"])

    def test_levels_of_categories_and_groups(self):
        for levels in ([["plain", s] for s in LEVELS] if ALL else [LEVELS]):
            for formula in ("y ~ x + g", "y ~ x + (1 | g)"):
                shutil.rmtree(self.work / "fit", ignore_errors=True)
                self.write("t.csv", self.levels(levels))
                self.giga("fit", "t.csv", formula, "--family", "bernoulli", "--out", "fit", "--size", "20", *CHAINS)
                self.inert_run("fit")
                kept = json.loads((self.work / "fit/coreset.json").read_bytes())
                read = {level.strip(" \t") for level in levels}  # as tables are read
                self.assertLessEqual(read, set(inert.strings_of(kept)))
                chosen = {inert.plain(row[2]) for row in inert.table((self.work / "fit/coreset.csv").read_bytes())[1:]}
                self.assertLessEqual(chosen, read)
                self.giga("sample", "fit/coreset.csv", *CHAINS)
                inert.record(self.giga("predict", "fit", "t.csv", "--json", "--out", "p.csv", "--force").stdout)
            self.giga("build", "t.csv", "--family", "bernoulli", "--size", "9", "--out", "a.csv", "--force")
            self.giga("build", "t.csv", "--family", "bernoulli", "--size", "8", "--out", "b.csv", "--force")
            merged = self.giga("merge", "a.csv", "b.csv", code=(0, 64, 65), text=False)
            if merged.returncode == 0:
                inert.table(merged.stdout)
        for level in some(LEVELS):  # one that the fit has not seen
            self.write("new.csv", [["g", "x"], [level + "?", 1]])
            self.giga("predict", "fit", "new.csv", code=(0, 65), text=False)

    def test_labels_of_the_response(self):
        for label in some(LEVELS, 5):
            label = label.strip(" \t")  # as tables are read
            r = random.Random(4)
            self.write("t.csv", [["x", "y"]] + [[r.random(), r.choice([label, "other"])] for _ in range(60)])
            shutil.rmtree(self.work / "fit", ignore_errors=True)
            self.giga("fit", "t.csv", "--family", "bernoulli", "--success", label, "--out", "fit", *CHAINS)
            self.inert_run("fit", [label])
            self.refused("fit", "t.csv", "--family", "poisson", "--out", "no")
            self.refused("fit", "t.csv", "--family", "bernoulli", "--success", label + "!", "--out", "no")

    def test_cells_that_are_no_numbers(self):
        for k, text in enumerate(STRINGS):
            for place, rows in one_in_turn(k, ("response", [["x", "y"], [1, text], [2, 1], [1, 0], [1, text + "b"]]),
                                           ("ragged", [["x", "y"], [1, text, 3]]),
                                           ("twice", [[text, text, "y"], [1, 2, 1]])):
                self.write("t.csv", rows)
                self.refused("build", "t.csv", "--family", "poisson", "--response", "y", "--out", f"{place}.csv")

    def test_names_of_files(self):
        names = [as_file_name(s) for s in STRINGS if as_file_name(s) not in ("", ".", "..")]
        parts = self.work / "parts"
        parts.mkdir()
        for k, name in enumerate(names):
            table = [["x", "y"]] + [[(7 * k + i) % 11 / 10, (k + i) % 2] for i in range(4)]
            (parts / (name + ".csv")).write_bytes(csv_text(table))
        self.giga("build", "parts", "--family", "bernoulli", "--size", "20", "--out", "several.csv")
        # Files are named as messages name them; of a folder, those that begin with . or _ are left out.
        shown = {inert.shown(name + ".csv") for name in names if name[0] not in "._"}
        inert.record((self.work / "several.json").read_bytes(), shown)
        files = {inert.plain(row[2]) for row in inert.table((self.work / "several.csv").read_bytes())[1:]}
        self.assertLessEqual(files, shown)
        for name in some(names):
            path = os.path.join("parts", name + ".csv")
            before = {p.name for p in self.work.iterdir()}
            self.giga("fit", path, "--family", "bernoulli", *CHAINS)
            made = {p.name for p in self.work.iterdir()} - before
            # One folder beside the others, named after the file up to the first dot that does not begin its name.
            self.assertEqual(made, {name[0] + name[1:].split(".")[0] + "-fit"}, name)
            self.inert_run(*made)
            shutil.rmtree(self.work / made.pop())
            self.giga("fit", path, "--family", "bernoulli", "--out", name + ".d", *CHAINS)
            self.giga("summary", name + ".d" if not name.startswith("-") else "./" + name + ".d")
        for name in STRINGS:
            missing = "./no/" + as_file_name(name)
            for words in (("fit", missing + ".csv", "--family", "bernoulli"), ("report", missing), ("summary", missing),
                          ("check", missing + ".csv", "several.csv"), ("merge", missing + ".csv", missing + "2.csv"),
                          ("build", "parts", "--family", "bernoulli", "--out", missing + "/x.csv")):
                self.refused(*words)
        (self.work / "bad").mkdir()
        for name in some(names, 3):
            for suffix in (".csv", ".npy", ".npz", ".svm", ".parquet", ".csv.gz"):
                path = self.work / "bad" / (name + suffix)
                path.write_bytes(b"\x00\x01 no table")
                self.giga("build", f"bad/{name}{suffix}", "--family", "bernoulli", code=(65, 69))
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"deep"})  # nothing climbed out
        self.assertEqual({p.name for p in (self.folder / "deep").iterdir()}, {"er"})

    def test_formulas_options_and_configuration(self):
        self.write("t.csv", self.columns(["x", "z"]))
        for text in STRINGS:
            self.refused("build", "t.csv", "y ~ x + `" + text.replace("`", "") + "`", "--family", "bernoulli")
            self.giga("build", "t.csv", "y ~ x" + text, "--family", "bernoulli", "--size", "3", code=(0, 64, 65), text=False)
            self.refused("build", "t.csv", "--family=" + text)
            self.refused("build", "t.csv", "--family", "bernoulli", "--response=" + text)
            self.refused("build", "t.csv", "--family", "bernoulli", "--size=" + text)
            self.refused("build", "t.csv", "--family", "bernoulli", "--prior=" + text)
            self.refused("--" + text + "x")
            self.refused(text + "x")
            quoted = json.dumps(text).replace("\\u007f", "\x7f")
            for line in (f"family = {quoted}", f"response = {quoted}", f"{quoted} = 1", f"size = {quoted}", text):
                (self.work / "c.toml").write_bytes(line.encode() + b"\n")
                self.giga("build", "t.csv", "--config", "c.toml", "--size", "3", code=(0, 64, 65, 78), text=False)
        names = [text for text in STRINGS if "`" not in text and "\\" not in text]
        for chosen in ([[name] for name in names] if ALL else [names[:25], names[25:50], names[50:]]):
            self.write("q.csv", self.columns(chosen))
            shutil.rmtree(self.work / "fit", ignore_errors=True)
            formula = "y ~ " + " + ".join(f"`{name}`" for name in chosen)
            result = self.giga("fit", "q.csv", formula, "--family", "bernoulli", "--out", "fit", *CHAINS, code=(0, 64, 65))
            self.assertEqual(result.returncode, 0, result.stderr[-500:])
            self.inert_run("fit", chosen)
            self.giga("fit", "q.csv", formula, "--family", "bernoulli", "--out", "fit", "--force", "--prior",
                      f"{chosen[0]} = normal(0, 1)", *CHAINS, code=(0, 64))

    def test_records_that_were_tampered_with(self):
        """run.json and coreset.json with a hostile string in the place of each string of theirs."""
        self.write("t.csv", self.levels(["a", "b", "c", "d"], 40))
        self.giga("fit", "t.csv", "y ~ x + g", "--family", "bernoulli", "--out", "fit", *CHAINS)
        for name, verbs in (("run.json", (("report", "fit", "--out", "r.html", "--force"), ("summary", "fit"),
                                          ("fit", "--resume", "fit"))),
                            ("certificate.json", (("report", "fit", "--out", "r.html", "--force"),)),
                            ("coreset.json", (("sample", "fit/coreset.csv", *CHAINS),
                                              ("check", "t.csv", "fit/coreset.csv", "fit"), ("predict", "fit", "t.csv")))):
            path = self.work / "fit" / name
            if not path.exists():
                continue
            whole = path.read_bytes()
            places = list(places_of(json.loads(whole)))
            self.assertGreater(len(places), 10 if name != "certificate.json" else 0)
            for k, place in enumerate(places):
                # Each place gets another string, and each verb its turn.
                for j in range(len(STRINGS)) if ALL else (7 * k % len(STRINGS),):
                    value = json.loads(whole)
                    put(value, place, STRINGS[j])
                    path.write_bytes(json.dumps(value).encode())
                    words = verbs[k % len(verbs)] if not ALL else verbs[(k + j) % len(verbs)]
                    result = self.giga(*words, code=(0, 1, 64, 65, 66, 73), text=words[0] != "predict")
                    if words[0] == "report" and result.returncode == 0:
                        inert.page((self.work / "r.html").read_bytes(), self.harmless_marks())
            # All places that may have any text at once, in turn with every string.
            free = [place for place in places if is_free(place)]
            for text in some(STRINGS, 3) if name == "run.json" else ():
                value = json.loads(whole)
                for place in free:
                    put(value, place, text)
                path.write_bytes(json.dumps(value).encode())
                result = self.giga(*verbs[0], code=(0, 65))
                if result.returncode == 0:
                    inert.page((self.work / "r.html").read_bytes(), self.harmless_marks())
            path.write_bytes(whole)

    def test_names_in_files_of_draws_and_archives(self):
        import numpy
        columns = [text for text in STRINGS if "\n" not in text and "\r" not in text]
        for names in [[text] for text in columns] if ALL else [columns]:
            lines = [",".join(csv_text([[name]]).decode().rstrip("\n") for name in ["lp__", *names])]
            lines += [",".join(str(round(random.random(), 3)) for _ in range(len(names) + 1)) for _ in range(40)]
            (self.work / "draws_1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
            result = self.giga("summary", "draws_1.csv", code=(0, 65))
            if result.returncode == 0:
                inert.record(self.giga("summary", "draws_1.csv", "--json").stdout)
        members = {as_file_name(text): numpy.zeros(1) for text in STRINGS if as_file_name(text)}
        numpy.savez(self.work / "t.npz", X=numpy.random.default_rng(1).normal(size=(60, 2)), y=numpy.arange(60) % 2, **members)
        # Names with backslashes or colons may make an archive that the library takes for damaged: told, not obeyed.
        self.giga("build", "t.npz", "--family", "bernoulli", "--size", "5", code=(0, 65), text=False)
        import zipfile
        for text in some(STRINGS, 4):
            with zipfile.ZipFile(self.work / "z.npz", "w") as archive:
                archive.writestr(text.replace("\0", "")[:1000], b"x")
                archive.writestr("../../X.npy", b"x")
            self.refused("build", "z.npz", "--family", "bernoulli")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"deep"})

    def test_a_terminal(self):
        """With colours and progress: tables, too, are shown so that nothing acts."""
        self.write("t.csv", self.columns(STRINGS))
        self.write("l.csv", self.levels(LEVELS))
        for words in (["build", "t.csv", "--family", "bernoulli", "--response", "y", "--size", "5"],
                      ["build", "l.csv", "--family", "bernoulli", "--size", "30"],
                      ["build", "l.csv", "--family", "bernoulli", "--size", "5", "--json"],
                      ["fit", "l.csv", "--family", "bernoulli", "--out", "fit", *CHAINS], ["summary", "fit"],
                      *(["build", "t.csv", "--family", "bernoulli", "--response", text + "x"] for text in some(STRINGS, 9))):
            inert.terminal(on_terminal(words, self.work), live=True)


def on_terminal(words, folder):
    """What the command writes to a terminal that is both its stdout and its stderr."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ["TERM"] = "xterm-256color"
        os.environ.pop("NO_COLOR", None)
        os.execv(GIGA, [GIGA, *words])
    raw = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        raw += piece
    os.close(fd)
    os.waitpid(pid, 0)
    return raw


def places_of(value, path=()):
    """The ways to all strings of a value of JSON."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from places_of(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from places_of(inner, (*path, k))


def put(value, path, text):
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = text


# Fields of run.json that hold a text of anybody's: paths, names, words.
FREE = {"notes", "warnings", "path", "version", "response", "features", "words", "command_line", "variable", "name"}


def is_free(path):
    return any(step in FREE for step in path)


def make_reports(folder):
    """Reports of hostile names and of a tampered record, for the browser."""
    folder = pathlib.Path(folder)
    test = Hostile()
    test.setUp()
    try:
        test.write("columns.csv", test.columns(STRINGS))
        test.write("levels.csv", test.levels(LEVELS))
        test.giga("fit", "columns.csv", "--family", "bernoulli", "--response", "y", "--out", "columns", *CHAINS)
        test.giga("fit", "levels.csv", "y ~ x + (1 | g)", "--family", "bernoulli", "--out", "levels", *CHAINS)
        for name in ("columns", "levels"):
            shutil.copy(test.work / name / "report.html", folder / f"{name}.html")
        path = test.work / "levels" / "run.json"
        whole = path.read_bytes()
        for k, text in enumerate(STRINGS):
            value = json.loads(whole)
            for place in places_of(json.loads(whole)):
                if is_free(place):
                    put(value, place, text)
            path.write_bytes(json.dumps(value).encode())
            test.giga("report", "levels", "--title", text, "--out", str(folder / f"tampered_{k}.html"))
    finally:
        test.doCleanups()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--giga", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--reports")
    options, rest = parser.parse_known_args()
    GIGA, ALL = str(pathlib.Path(options.giga).resolve()), options.all
    if options.reports:
        make_reports(options.reports)
    else:
        unittest.main(argv=[sys.argv[0], *rest])
