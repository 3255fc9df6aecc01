"""What must hold after a call has failed, or after a kill: what is wrong is returned in words."""

import pathlib
import re

from scenarios import OUT

OURS = ".giga-"  # temporary files and locks
ERROR_LINE = re.compile(r"^giga: error: .", re.MULTILINE)
FORBIDDEN = ("internal", "please report", "terminate called", "what():", "Assertion")

CANNOT_CREATE, IO, RESOURCES, NO_INPUT = 73, 74, 71, 66


def allowed_codes(fault):
    """Exit codes that tell the truth about the failure."""
    if fault.action in ("ENOMEM", "EMFILE", "EAGAIN"):
        return {RESOURCES}
    if fault.kind == "open":
        return {NO_INPUT, CANNOT_CREATE} if fault.action == "EACCES" else {IO}
    if fault.kind in ("rename", "unlink", "mkdir"):
        return {CANNOT_CREATE} if fault.action == "EACCES" else {CANNOT_CREATE, IO}
    if fault.kind in ("stat", "lock"):
        return {NO_INPUT, CANNOT_CREATE, IO}
    return {IO}


def is_ours(path):
    return any(part.startswith(OURS) for part in pathlib.PurePath(path).parts)


def is_temporary(path):
    return pathlib.PurePath(path).name.startswith(OURS) and path.endswith(".tmp")


def is_partial(path):
    return path.startswith(f"{OUT}/partial/")


def without_partial(found):
    return {path: content for path, content in found.items() if not is_partial(path) and path != f"{OUT}/partial/"}


class Judge:
    def __init__(self, scenario, before, after, work, calls):
        self.scenario = scenario
        self.before = before  # what was there
        self.after = after    # what an undisturbed run leaves
        self.work = str(work)
        written = {call.target for call in calls if call.kind == "write"}
        self.closes_of_outputs = {call.number for call in calls if call.kind == "close" and call.target in written}

    # ---- one failure

    def failure(self, fault, outcome, found):
        if outcome.code is None:
            return "hangs"
        if outcome.code < 0:
            return f"ended by signal {-outcome.code}: {outcome.error.strip()[-300:]}"
        if fault.kind == "stderr":
            return self.unharmed(outcome, found, None)
        words = self.words_of_error(fault, outcome)
        if words:
            return words
        spared = outcome.hit.target if fault.kind == "unlink" else None
        if outcome.code == self.scenario.code:
            if self.must_be_told(fault, outcome.hit) and self.scenario.code == 0:
                return "went unnoticed"
            return self.unharmed(outcome, found, spared)
        if fault.must_be_survived:
            return f"not survived: {outcome.code} {outcome.error.strip()}"
        if self.scenario.code != 0 and outcome.code == 0:
            return "was to be refused"
        if outcome.code not in allowed_codes(fault):
            return f"exit code {outcome.code}, not one of {sorted(allowed_codes(fault))}: {outcome.error.strip()}"
        return self.nothing_lost(found, spared)

    def words_of_error(self, fault, outcome):
        """One line that says what is wrong and where."""
        for text in FORBIDDEN:
            if text in outcome.error:
                return f"says '{text}': {outcome.error.strip()}"
        lines = ERROR_LINE.findall(outcome.error)
        if outcome.code == 0:
            return f"says an error and ends with 0: {outcome.error.strip()}" if lines else None
        if len(lines) != 1:
            return f"has {len(lines)} lines of error: {outcome.error.strip()!r}"
        if outcome.code == self.scenario.code:
            return None
        line = next(line for line in outcome.error.splitlines() if line.startswith("giga: error: "))
        names = self.names_of(outcome.hit)
        if names and not any(name in line for name in names):
            return f"does not name {' or '.join(sorted(names))}: {line}"
        return None

    def names_of(self, call):
        """How a message may name what the call was about; nothing where there is no file of the user's."""
        if call.kind in ("alloc", "thread", "stdout", "stderr") or call.target == "-":
            return set()
        path = call.target.split(" -> ")[-1]
        absolute = path if path.startswith("/") else self.work + "/x/" + path
        if not absolute.startswith(self.work) or path.endswith("(deleted)"):
            return set()
        name = pathlib.PurePath(path).name
        if call.function == "unlinkat":  # by a removal of a whole folder, which is named
            return {name, "partial", "trials", "times"}
        if not name.startswith(OURS) and call.kind != "sync":
            return {name, "standard input"} if name == self.scenario.stdin else {name}
        # Instead of a temporary file that which it is to be, or its folder.
        return {pathlib.PurePath(each).name for each in [*self.after, *self.before]} | {OUT}

    def must_be_told(self, fault, call):
        """Failures that cannot be without a consequence."""
        if fault.must_be_survived:
            return False
        if fault.kind in ("write", "sync", "rename"):
            return not call.target.endswith(".giga-lock")
        if fault.kind == "close":
            return is_temporary(call.target) and call.number in self.closes_of_outputs
        return fault.kind == "stdout"

    def unharmed(self, outcome, found, spared):
        """As if nothing had happened."""
        if outcome.code != self.scenario.code:
            return f"exit code {outcome.code}: {outcome.error.strip()}"
        return self.difference(found, self.after, spared)

    def difference(self, found, wanted, spared=None):
        for path in sorted({*found, *wanted}):
            if path not in wanted:
                if spared is not None and self.is_spared(path, spared):
                    continue
                return f"{path} is left"
            if path not in found:
                return f"{path} is missing"
            if found[path] != wanted[path]:
                return f"{path} differs"
        return None

    @staticmethod
    def is_spared(path, spared):
        """What could not be removed, and the folders around it."""
        name = pathlib.PurePath(spared).name
        plain = pathlib.PurePath(path)
        return plain.name == name or spared.startswith(str(plain) + "/") or (path.endswith("/") and "/" not in spared)

    def nothing_lost(self, found, spared):
        """After an error: the old result, or the new one whole, and nothing beside them but what goes on later."""
        if self.scenario.keeps_parts:
            return self.parts(found)
        before = self.before
        goes_on = f"{OUT}/partial/request.json"
        if goes_on in found or goes_on in before:
            if goes_on not in found and self.difference(found, self.after, spared) is not None:
                return "a stopped run was lost"
            before = {**without_partial(before), f"{OUT}/": b""}
            found = without_partial(found)
        elif any(is_partial(path) for path in found) and spared is None:
            return "parts of a run are left that cannot go on"
        old = self.difference(found, before, spared)
        new = self.difference(found, self.after, spared)
        return None if old is None or new is None else f"neither old ({old}) nor new ({new})"

    # ---- parts that may stay: after a kill, and of a reproduction

    def parts(self, found, killed=False):
        """Every file is whole: the old one or the new one."""
        for path, content in found.items():
            if is_partial(path) or path.endswith("/") or (killed and is_ours(path)):
                continue
            if path not in self.before and path not in self.after:
                return f"{path} is left"
            if content not in (self.before.get(path), self.after.get(path)):
                return f"{path} is not whole"
        for path in self.before:
            if path not in found and path in self.after and not path.startswith(OUT) and not killed:
                return f"{path} is lost"
        return None

    # ---- going on

    def gone_on(self, outcome, found, killed):
        if outcome.code != self.scenario.code:
            return f"afterwards {outcome.code}: {outcome.error.strip()}"
        if killed:  # what another process was writing when it was killed is nobody's
            found = {path: content for path, content in found.items() if not is_temporary(path) or path.startswith(OUT)}
            if self.scenario.words[0] != "fit":
                found = {path: content for path, content in found.items() if not is_ours(path)}
        words = self.difference(found, self.after)
        return f"afterwards {words}" if words else None
