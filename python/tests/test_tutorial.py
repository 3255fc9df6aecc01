"""The notebook of the docs, run from its first cell to its last."""

import pathlib

import pytest

for module, package in (("nbclient", "nbclient"), ("nbformat", "nbformat"), ("ipykernel", "ipykernel"),
                        ("matplotlib", "matplotlib"), ("pandas", "pandas"), ("sklearn", "sklearn"), ("xarray", "xarray")):
    pytest.importorskip(module, reason=f"apt-get install python3-{package}")

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

PATH = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python-tutorial.ipynb"


def texts(notebook):
    """What cells gave as text, of those that give any."""
    return [output["data"]["text/plain"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
            if output.output_type == "execute_result"]


def pictures(notebook):
    return sum("image/png" in output.get("data", {}) for cell in notebook.cells if cell.cell_type == "code"
               for output in cell.outputs)


def test_notebook_runs_and_shows_what_it_has_stored(tmp_path):
    stored = nbformat.read(PATH, as_version=4)
    notebook = nbformat.read(PATH, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert pictures(notebook) == pictures(stored) == 2
    assert len(texts(stored)) == len(texts(notebook)) > 6
    assert texts(notebook)[0] == texts(stored)[0]  # the frame; the fit is the same wherever arithmetic is
    assert "safe to use" in texts(notebook)[1] and "safe to use" in texts(stored)[1]


def test_notebook_is_light():
    assert PATH.stat().st_size < 200_000
