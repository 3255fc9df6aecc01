"""What giga raises. Every class is an Error and the exception of Python that people would expect."""

import sys
import warnings


class Error(Exception):
    """The base of all that giga raises by itself."""


class DataError(Error, ValueError):
    """Data that cannot be used; the message names the table, the row and the column, and what to do."""


class ModelError(Error, ValueError):
    """A function of a model of one's own gave NaN, or infinity where there must be a number, or a gradient that is not
    that of its log-likelihood; the message names the function, the row and theta."""


class OptionError(Error, ValueError):
    """A keyword that asks for something impossible."""


class InputMissing(Error, FileNotFoundError):
    """There is nothing to read: no such file, a folder, no permission."""


class CannotCreate(Error, FileExistsError):
    """An output cannot be created: it exists already (force=True replaces it), or its folder does not."""


class IoError(Error, OSError):
    """Reading or writing failed half-way: disk full, device error."""


class ResourceError(Error, MemoryError):
    """The machine has too little of something for what was asked."""


class LibraryMissing(Error, ImportError):
    """What a format is read with is not installed; the message says how to get it."""


class NotSafe(Error):
    """With strict=True: the certificate does not say that the result is safe. `result` is what came of it."""

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result

    def __reduce__(self):
        return NotSafe, (str(self),)


class GigaWarning(UserWarning):
    """Something speaks against a result: chains that did not mix, a certificate that is not safe."""


__all__ = [name for name in list(globals()) if not name.startswith("_")]


def warn(texts):
    """GigaWarnings at the line outside this package that made the call."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    for text in texts:
        warnings.warn(text, GigaWarning, stacklevel=level)
