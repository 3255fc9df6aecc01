"""Runs the command with fail_once preloaded, and reads what it says of the calls."""

import errno
import os
import pathlib
import subprocess
from typing import NamedTuple

TIME_LIMIT_S = 60


class Fault(NamedTuple):
    """At the `number`-th call of a kind: an errno by name, `short`, or `kill-before`, `kill-after`, `kill-half`."""

    kind: str
    number: int
    action: str
    from_there_on: bool = False

    def __str__(self):
        return f"{self.kind}:{self.number}{'+' if self.from_there_on else ''}:{self.action}"

    def variable(self):
        action = str(getattr(errno, self.action)) if self.action.startswith("E") else self.action
        return f"{self.kind}:{self.number}{'+' if self.from_there_on else ''}:{action}"

    @property
    def kills(self):
        return self.action.startswith("kill")

    @property
    def must_be_survived(self):
        return self.action in ("EINTR", "short")


class Call(NamedTuple):
    kind: str
    number: int
    function: str
    target: str  # a path, "from -> to", or "-"


class Outcome(NamedTuple):
    code: int | None  # None: it hung; negative: a signal
    out: str
    error: str
    calls: list
    hit: Call | None


class Injector:
    def __init__(self, giga, library):
        self.giga = giga
        self.library = library

    def run(self, words, folder, log, fault=None, stdin=None, trace=False):
        """In `folder`; the log is removed again."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LD_PRELOAD": str(self.library),
                       "GIGA_FAULT_LOG": str(log)}
        if fault:
            environment["GIGA_FAULT"] = fault.variable()
        if trace:
            environment["GIGA_FAULT_TRACE"] = "1"
        pathlib.Path(log).unlink(missing_ok=True)
        source = open(folder / stdin, "rb") if stdin else open(os.devnull, "rb")
        with source:
            try:
                done = subprocess.run([self.giga, *words], cwd=folder, env=environment, stdin=source,
                                      capture_output=True, timeout=TIME_LIMIT_S, check=False)
                code, out, error = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired as late:
                code, out, error = None, late.stdout or b"", late.stderr or b""
        calls, hit, rest = [], None, []
        text = pathlib.Path(log).read_text(errors="replace") if pathlib.Path(log).exists() else ""
        for line in text.splitlines():
            parts = line.split("\t")
            if parts[0] == "hit":
                call = Call(parts[1], int(parts[2]), parts[3], parts[4])
                hit = hit or call
                calls.append(call)
            elif len(parts) == 4:
                calls.append(Call(parts[0], int(parts[1]), parts[2], parts[3]))
            else:
                rest.append(line)
        pathlib.Path(log).unlink(missing_ok=True)
        error_text = error.decode(errors="replace")
        if trace:
            error_text += "\n".join(rest)
        return Outcome(code, out.decode(errors="replace"), error_text, calls, hit)
