"""Pictures of a run, by matplotlib."""

import numpy as np

from .errors import LibraryMissing

KINDS = ("coefficients", "posterior", "error", "weights")
_INK, _COLOUR, _FAINT = "#1f2933", "#2b6cb0", "#a0aec0"


def _pyplot():
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise LibraryMissing("this needs matplotlib: apt-get install python3-matplotlib, or pip install "
                             "matplotlib") from missing
    return plt


def _weights(run):
    """Those of the draws, of the posterior of all rows where the certificate allows it."""
    draws = run.draws
    count = draws.values.shape[0] * draws.values.shape[1]
    if getattr(run, "safe", False) and draws.weights is not None:
        return draws.weights.ravel() / draws.weights.sum()
    return np.full(count, 1 / count)


def _quantiles(values, weights, probabilities):
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) - weights[order] / 2
    return np.interp(probabilities, reached, values[order])


def _tidy(axes):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(colors=_INK, labelsize=9)


def _coefficients(run, axes, names):
    weights, draws = _weights(run), run.draws
    for k, name in enumerate(names):
        values = draws[name].ravel()
        low, lower, middle, upper, high = _quantiles(values, weights, [0.05, 0.25, 0.5, 0.75, 0.95])
        axes.plot([low, high], [k, k], color=_COLOUR, linewidth=1.2, solid_capstyle="round")
        axes.plot([lower, upper], [k, k], color=_COLOUR, linewidth=4, solid_capstyle="round")
        axes.plot(middle, k, "o", color="white", markeredgecolor=_COLOUR, markersize=4.5)
    axes.axvline(0, color=_FAINT, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("median, 50% and 90% intervals")


def _posterior(run, axes, names):
    weights, draws = _weights(run), run.draws
    for name in names[:8]:
        values = draws[name].ravel()
        middle = weights @ values
        sd = np.sqrt(weights @ (values - middle) ** 2) or 1.0
        heights, edges = np.histogram((values - middle) / sd, bins=40, range=(-4, 4), weights=weights, density=True)
        axes.plot((edges[:-1] + edges[1:]) / 2, heights, linewidth=1.2, label=f"{name}  {middle:.3g} ± {sd:.2g}")
    grid = np.linspace(-4, 4, 200)
    axes.plot(grid, np.exp(-grid**2 / 2) / np.sqrt(2 * np.pi), color=_FAINT, linewidth=1, linestyle="--", label="normal")
    axes.set_ylim(0, 0.47 + 0.055 * min(8, len(names)))
    axes.set_xlabel("standard deviations from the mean")
    axes.set_yticks([])
    axes.legend(frameon=False, fontsize=8)


def _error(run, axes, _names):
    trace = run.record.get("trace") or []
    sizes = [step["size"] for step in trace]
    errors = [step["relative_error"] for step in trace]
    axes.semilogy(sizes, errors, color=_COLOUR, linewidth=1.5, label="projected")
    heldout = run.record.get("heldout_error")
    if heldout:
        axes.plot(run.record.get("size", len(run.coreset)), heldout, "o", color=_INK, markersize=5, label="held out, at the end")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("rows in the coreset")
    axes.set_ylabel("relative error")
    axes.legend(frameon=False, fontsize=8)


def _row_weights(run, axes, _names):
    weights = np.sort(run.coreset.weights)[::-1]
    axes.bar(np.arange(1, len(weights) + 1), weights, color=_COLOUR, width=0.8)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel(f"the {len(weights)} rows of the coreset, by weight")
    axes.set_ylabel("rows that each stands for")


_DRAW = {"coefficients": _coefficients, "posterior": _posterior, "error": _error, "weights": _row_weights}
_TITLES = {"coefficients": "Coefficients", "posterior": "Posterior", "error": "Error against size", "weights": "Weights"}


def plot(run, kind=None, names=None, axes=None):
    plt = _pyplot()
    kinds = list(KINDS) if hasattr(run, "coreset") else list(KINDS[:2])
    if kind is not None and kind not in kinds:
        raise ValueError(f"kind is {kind!r}; must be one of {', '.join(kinds)}, or None for all")
    if names is None:  # an intercept is on a scale of its own
        names = [name for name in run.draws.names if kind != "coefficients" and kind is not None or name != "(intercept)"]
    names = list(names) or run.draws.names
    for name in names:
        if name not in run.draws:
            raise KeyError(f"no parameter '{name}'; there are {', '.join(run.draws.names[:20])}")
    if kind is not None:
        if axes is None:
            _, axes = plt.subplots(figsize=(6, max(2.5, 0.35 * len(names) + 1) if kind == "coefficients" else 3.5))
        shown = [(kind, axes)]
    else:
        if axes is not None:
            raise TypeError("axes= goes with one kind=")
        rows = (len(kinds) + 1) // 2
        figure, grid = plt.subplots(rows, 2, figsize=(10, 3.6 * rows))
        shown = list(zip(kinds, grid.ravel()))
    for each, into in shown:
        _DRAW[each](run, into, names)
        into.set_title(_TITLES[each], loc="left", fontsize=10, color=_INK)
        _tidy(into)
    if kind is not None:
        return axes
    figure.tight_layout()
    return figure
