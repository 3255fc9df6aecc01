"""The sessions of docs/python.md, in their order, as a reader would type them."""

import doctest
import pathlib
import re
import warnings

import pytest

import giga

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def sessions(page):
    """The text of all blocks of `pycon`, with blank lines for all else, so that lines have their numbers."""
    out, inside = [], False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```pycon"
            out.append("")
        else:
            out.append(line if inside else "")
    return "\n".join(out) + "\n"


@pytest.mark.parametrize("page", ["docs/python.md", "docs/python-models.md"])
def test_sessions_of_the_page_run_as_shown(page, tmp_path, monkeypatch):
    pytest.importorskip("pandas", reason="apt-get install python3-pandas")
    if "models" in page:
        for module, package in (("sklearn", "sklearn"), ("xarray", "xarray"), ("netCDF4", "netcdf4"),
                                ("distributed", "distributed")):
            pytest.importorskip(module, reason=f"apt-get install python3-{package}")
    monkeypatch.chdir(tmp_path)
    text = sessions((ROOT / page).read_text())
    assert len(re.findall("^>>>", text, re.MULTILINE)) > 10
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", giga.GigaWarning)
        found = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append)
    assert found.failed == 0, "".join(told)
