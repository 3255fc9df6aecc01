"""Ranks by an mpi4py communicator: what the executor of giga-mpi needs of MPI, as operations on bytes.

Every call is begun without waiting and then asked for, with naps in between, so that ranks which share a core do not
keep it from the one that works.
"""

import contextlib
import os
import time

from .errors import LibraryMissing, OptionError

_MOST_AT_ONCE = 2**30  # MPI counts in int
_TESTS, _NAP_S = 300, 5e-5
_TAG = 1
_OWN_TO_A_RANK = {"out", "vectors", "loglik", "resume", "scratch", "config"}


def _wait(request):
    for _ in range(_TESTS):
        if request.Test():
            return
    while not request.Test():
        time.sleep(_NAP_S)


def _pieces(view):
    for first in range(0, len(view), _MOST_AT_ONCE):
        yield view[first:first + _MOST_AT_ONCE]


class Operations:
    """All ranks make the same calls in the same order, except for send and receive, which pair up."""

    def __init__(self, comm, mpi):
        self._comm, self._mpi = comm, mpi
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        machine = comm.Split_type(mpi.COMM_TYPE_SHARED)
        self.fair_threads = max(1, len(os.sched_getaffinity(0)) // machine.Get_size())
        machine.Free()

    def largest(self, view):
        mpi = self._mpi
        _wait(self._comm.Iallreduce(mpi.IN_PLACE, [view, len(view) // 8, mpi.INT64_T], op=mpi.MAX))

    def unite(self, view):
        mpi = self._mpi
        for piece in _pieces(view):
            _wait(self._comm.Iallreduce(mpi.IN_PLACE, [piece, mpi.BYTE], op=mpi.BOR))

    def broadcast(self, view, root):
        for piece in _pieces(view):
            _wait(self._comm.Ibcast([piece, self._mpi.BYTE], root=root))

    def send(self, view, to):
        for piece in _pieces(view):
            _wait(self._comm.Isend([piece, self._mpi.BYTE], dest=to, tag=_TAG))

    def receive(self, view, source):
        for piece in _pieces(view):
            _wait(self._comm.Irecv([piece, self._mpi.BYTE], source=source, tag=_TAG))


def _require_one_mind(comm, verb, settings, memory):
    """All ranks must have been asked for the same."""
    from . import __version__
    own = [f"runs giga {__version__}", f"calls giga.{verb}"]
    own += sorted(f"has {name}={value.decode('utf-8', 'replace')}" for name, value in settings
                  if name not in _OWN_TO_A_RANK)
    own.append("has no table in memory" if memory is None else f"has a table of {memory.num_rows} rows")
    told = comm.allgather(own)
    for rank, other in enumerate(told):
        if other != told[0]:
            ours = next((line for line in told[0] if line not in other), "does not")
            theirs = next((line for line in other if line not in told[0]), "does not")
            raise OptionError(f"the ranks do not ask for the same: rank 0 {ours}, rank {rank} {theirs}")


@contextlib.contextmanager
def ranks(comm, verb, settings, memory):
    """What a verb is given for comm=: None, or the operations of a communicator of its own."""
    if comm is None:
        yield None
        return
    try:
        from mpi4py import MPI
    except ImportError as missing:
        raise LibraryMissing("comm= needs mpi4py: apt-get install python3-mpi4py, or pip install mpi4py") from missing
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm= is a {type(comm).__name__}; must be a communicator of mpi4py, such as MPI.COMM_WORLD")
    if comm == MPI.COMM_NULL:
        raise ValueError("comm= is MPI.COMM_NULL")
    if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
        raise OptionError("MPI was started for one thread only, where giga works on another; leave mpi4py.rc.thread_level "
                          "as it is")
    own = comm.Dup()
    try:
        _require_one_mind(own, verb, settings, memory)
        yield Operations(own, MPI)
    finally:
        own.Free()


def leads(comm):
    return comm is None or comm.Get_rank() == 0
