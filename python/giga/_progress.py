"""How far a job is, as a bar: tqdm's where it is installed, a plain one otherwise."""

import sys
import time

_WORDS = {"load": "reading", "laplace": "finding the mode", "project": "projecting", "prepare": "preparing",
          "construct": "building", "sample": "sampling", "certify": "certifying", "report": "reporting"}
_DELAY_S = 0.5


def _is_notebook():
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
    return instance is not None and type(instance).__name__ == "ZMQInteractiveShell"


def _wanted():
    """Where nobody said: in a notebook, and at the prompt of a terminal. A script prints nothing."""
    if _is_notebook():
        return True
    return hasattr(sys, "ps1") and sys.stderr is not None and sys.stderr.isatty()


class _Bar:
    """Stages one after the other, from the thread that called the job. Nothing is drawn in the first moments."""

    def __init__(self):
        self._since, self._stage, self._bar = time.monotonic(), None, None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(self, stage, done, total):
        if time.monotonic() - self._since < _DELAY_S:
            return
        if self._tqdm is None:
            self._plain(stage, done, total)
            return
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total or None, desc=_WORDS.get(stage, stage), leave=False)
        if total and self._bar.total != total:
            self._bar.reset(total=total)
        self._bar.update(max(0, done - self._bar.n))

    def _plain(self, stage, done, total):
        share = f" {100 * done // total:3d}%" if total else ""
        self._bar = f"giga: {_WORDS.get(stage, stage)}{share}"
        sys.stderr.write(f"\r\x1b[K{self._bar}")
        sys.stderr.flush()

    def close(self):
        if self._bar is not None and self._tqdm is None:
            sys.stderr.write("\r\x1b[K")
        elif self._bar is not None:
            self._bar.close()
        self._bar = None


class showing:
    """with showing(progress) as watch: what a job is to be given. None: as _wanted says; a callable gets (stage,
    done, total)."""

    def __init__(self, progress):
        if progress is None:
            progress = _wanted()
        elif not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress= is a {type(progress).__name__}; must be True, False or a function of "
                            "(stage, done, total)")
        self._watch = _Bar() if progress is True else progress if callable(progress) else None

    def __enter__(self):
        return self._watch

    def __exit__(self, *_):
        if isinstance(self._watch, _Bar):
            self._watch.close()
