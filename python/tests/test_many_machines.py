"""Ranks of mpi4py, and shards made by Dask."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import giga

pytestmark = pytest.mark.filterwarnings("ignore::giga.GigaWarning")

PROGRAM = """
import pathlib, sys, warnings
import numpy as np
from mpi4py import MPI
import giga
warnings.simplefilter("ignore")
what, folder = sys.argv[1:]
comm = MPI.COMM_WORLD
X, y = giga.simulate("logistic", rows=6000, dim=3, seed=1)
model = dict(family="bernoulli", seed=7)
if what == "fit":
    run = giga.fit(X, y=y, times=False, draws=500, comm=comm, out=folder + "/ranks", **model)
    everywhere = comm.allgather(run.draws.values.sum())
    assert len(set(everywhere)) == 1, everywhere
elif what == "verbs":
    coreset = giga.build(X, y=y, comm=comm, **model)
    sampled = giga.sample(coreset, draws=300, chains=2, comm=comm)
    verdict = giga.check(X, coreset, sampled, y=y, comm=comm)
    if comm.rank == 0:
        np.savez(folder + "/verbs.npz", weights=coreset.sample_weight(), draws=sampled.draws.values, sentence=verdict.sentence)
else:
    try:
        if what == "differ":
            giga.build(X, y=y, size=10 + comm.rank, comm=comm, **model)
        else:
            y[17] = 5
            giga.fit(X, y=y, comm=comm, **model)
    except giga.Error as error:
        pathlib.Path(folder, f"rank-{comm.rank}.txt").write_text(f"{type(error).__name__}: {error}")
"""


@pytest.fixture
def mpirun(tmp_path):
    pytest.importorskip("mpi4py", reason="apt-get install python3-mpi4py")
    launcher = shutil.which("mpirun")
    if launcher is None:
        pytest.skip("there is no mpirun: apt-get install openmpi-bin")
    (tmp_path / "program.py").write_text(PROGRAM)

    def run(what, ranks=2):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
        made = subprocess.run([launcher, "-n", str(ranks), sys.executable, str(tmp_path / "program.py"), what, str(tmp_path)],
                              env=environment, capture_output=True, text=True, timeout=180, check=False)
        assert made.returncode == 0, made.stderr[-3000:]
        return made.stdout

    return run


def made_here(**options):
    X, y = giga.simulate("logistic", rows=6000, dim=3, seed=1)
    return X, y, dict(family="bernoulli", seed=7, **options)


def test_ranks_write_the_files_of_one_process(mpirun, tmp_path):
    mpirun("fit")
    X, y, options = made_here(times=False, draws=500)
    giga.fit(X, y=y, out=tmp_path / "one", **options)
    names = sorted(each.name for each in (tmp_path / "one").iterdir())
    assert names == sorted(each.name for each in (tmp_path / "ranks").iterdir())
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "ranks" / name).read_bytes(), name


def test_ranks_build_sample_and_check_as_one_process(mpirun, tmp_path):
    mpirun("verbs")
    X, y, options = made_here()
    coreset = giga.build(X, y=y, **options)
    sampled = giga.sample(coreset, draws=300, chains=2)
    found = np.load(tmp_path / "verbs.npz")
    assert np.array_equal(found["weights"], coreset.sample_weight())
    assert np.array_equal(found["draws"], sampled.draws.values)
    assert str(found["sentence"]) == giga.check(X, coreset, sampled, y=y).sentence


WRONG = {
    "differ": "OptionError: the ranks do not ask for the same: rank 0 has size=10, rank 1 has size=11",
    "fail": "DataError: <array>: column 'y' has the values -1, 1, 5; bernoulli needs 0 and 1, or -1 and 1: recode them, or "
            "choose another column with response=",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_ends_all_ranks_with_the_same_words(mpirun, tmp_path, what):
    # Told in files: mpirun gives each rank a terminal, to which print() writes a line and its end one after the other, and
    # lines of two ranks are then mixed now and then.
    assert mpirun(what) == ""
    told = [(tmp_path / f"rank-{rank}.txt").read_text() for rank in range(2)]
    assert told == [WRONG[what]] * 2


def test_a_communicator_of_another_kind_is_refused():
    pytest.importorskip("mpi4py", reason="apt-get install python3-mpi4py")
    code = ("import giga\ntry:\n    giga.build([[1.0, 2.0]], comm=3)\nexcept TypeError as error:\n"
            "    assert 'communicator of mpi4py' in str(error)\nelse:\n    raise SystemExit(1)")
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1"))


def shard_of(part):
    """What a worker does with its rows: the few of them go back."""
    X, y = giga.simulate("logistic", rows=8000, dim=3, seed=1)
    rows = slice(part * 2000, (part + 1) * 2000)
    return giga.build(X[rows], y=y[rows], family="bernoulli", threads=1)


def test_shards_of_dask_workers_are_merged():
    pytest.importorskip("dask", reason="apt-get install python3-dask python3-distributed")
    distributed = pytest.importorskip("distributed", reason="apt-get install python3-distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            shards = client.gather(client.map(shard_of, range(4)))
    merged = giga.merge(shards)
    assert merged.num_rows == 8000
    alone = giga.merge([shard_of(part) for part in range(4)])
    assert np.array_equal(merged.weights, alone.weights)
    X, y = giga.simulate("logistic", rows=8000, dim=3, seed=1)
    means = giga.sample(merged, draws=1000).draws.values.mean(axis=(0, 1))
    whole = giga.fit(X, y=y, family="bernoulli").summary().iloc[:4]
    assert np.all(np.abs(means - whole["mean"]) < 0.3 * whole["sd"])
