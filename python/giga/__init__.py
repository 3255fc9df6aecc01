"""giga: Bayesian coresets, a few weighted rows that carry the posterior of all the data.

>>> import giga
>>> X, y = giga.simulate("logistic", rows=2000, dim=2, seed=3)
>>> fit = giga.fit(X, y=y, family="bernoulli")
>>> fit.safe
True
"""

from . import errors
from ._giga import version as __version__
from .errors import (CannotCreate, DataError, Error, GigaWarning, InputMissing, IoError, LibraryMissing, ModelError,
                     NotSafe, OptionError, ResourceError)
from .own_model import coreset, numerical_gradient
from .results import Certificate, Coreset, Draws, Fit, Predictions, Sample, Summary, Table
from .verbs import build, check, fit, merge, predict, read, report, sample, simulate, summary

__all__ = [
    "build", "check", "coreset", "fit", "merge", "numerical_gradient", "predict", "read", "report", "sample", "simulate", "summary",
    "Certificate", "Coreset", "Draws", "Fit", "Predictions", "Sample", "Summary", "Table",
    "CannotCreate", "DataError", "Error", "GigaWarning", "InputMissing", "IoError", "LibraryMissing", "ModelError",
    "NotSafe", "OptionError", "ResourceError", "errors", "__version__",
]


def __getattr__(name):
    """giga.linear_model is imported when it is asked for, since it needs scikit-learn."""
    if name == "linear_model":
        import importlib
        return importlib.import_module(".linear_model", __name__)
    raise AttributeError(f"module 'giga' has no attribute '{name}'")
