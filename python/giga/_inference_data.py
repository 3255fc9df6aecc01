"""Runs in the layout of ArviZ's InferenceData: groups of xarray Datasets, and one netCDF file of them."""

import os
import re

import numpy as np

from .errors import CannotCreate, LibraryMissing

_STATS = ("lp", "diverging", "tree_depth", "n_steps", "energy", "acceptance_rate", "step_size")


def _xarray():
    try:
        import xarray
    except ImportError as missing:
        raise LibraryMissing("this needs xarray: apt-get install python3-xarray, or pip install xarray") from missing
    return xarray


def variable_name(name, taken=()):
    """A name that netCDF takes: '(intercept)' is intercept, and a slash a bar."""
    plain = name.strip("()") if re.fullmatch(r"\([^()]*\)", name) else name
    plain = plain.replace("/", "|").strip() or "unnamed"
    if not (plain[0].isalnum() or plain[0] == "_" or ord(plain[0]) > 127):
        plain = "_" + plain
    while plain in taken:
        plain += "_"
    return plain


def _draws_dataset(xarray, values, names, coords, attrs):
    variables = {}
    for k, name in enumerate(names):
        own = variable_name(name, variables)
        variables[own] = (("chain", "draw"), np.ascontiguousarray(values[:, :, k]), {"parameter": name})
    return xarray.Dataset(variables, coords, attrs)


def _rows_dataset(xarray, columns, rows, attrs):
    variables = {}
    for name, values in columns.items():
        values = np.asarray(values)
        if values.dtype == object:
            values = values.astype(str)
        variables[variable_name(name, {*variables, "row"})] = (("row",), values, {"column": name})
    return xarray.Dataset(variables, {"row": rows}, attrs)


def groups_of(run):
    """{group: Dataset}, those of ArviZ; `weights` has how much each draw counts."""
    xarray = _xarray()
    from . import __version__
    draws = run.draws
    chains, length = draws.values.shape[:2]
    coords = {"chain": np.arange(chains), "draw": np.arange(length)}
    attrs = {"inference_library": "giga", "inference_library_version": __version__}
    about = dict(attrs, model=str(run.record.get("model", "")), seed=int(run.record.get("seed", 0)))
    certificate = getattr(run, "certificate", None)
    if certificate is not None:
        about.update(certificate=certificate.sentence, safe=int(certificate.safe))
    out = {"posterior": _draws_dataset(xarray, draws.values, draws.names, coords, about)}
    if draws.sampled_names:
        out["unconstrained_posterior"] = _draws_dataset(xarray, draws.sampled, draws.sampled_names, coords, attrs)
    stats = {name: (("chain", "draw"), draws.stats[name]) for name in _STATS if name in draws.stats}
    out["sample_stats"] = xarray.Dataset(stats, coords, attrs)
    if draws.weights is not None:
        out["weights"] = xarray.Dataset({"weight": (("chain", "draw"), draws.weights)}, coords, attrs)
    coreset = getattr(run, "coreset", None)
    if coreset is not None:
        columns = dict(coreset.data.columns)
        weights, rows = columns.pop("weight"), columns.pop("row")
        response = run.record.get("response")
        observed = {name: values for name, values in columns.items() if name == response}
        constant = {name: values for name, values in columns.items() if name != response}
        out["observed_data"] = _rows_dataset(xarray, observed, rows, attrs)
        out["constant_data"] = _rows_dataset(xarray, {"coreset_weight": weights, **constant}, rows, attrs)
    return out


def write_netcdf(run, path, force=False):
    path = os.fspath(path)
    if os.path.exists(path) and not force:
        raise CannotCreate(f"{path}: exists already; force=True replaces it")
    groups = groups_of(run)
    engine = _engine()
    part = f"{path}.part"
    try:
        for k, (group, dataset) in enumerate(groups.items()):
            dataset.to_netcdf(part, mode="w" if k == 0 else "a", group=group, engine=engine)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)
    return path


def _engine():
    for module, engine in (("netCDF4", "netcdf4"), ("h5netcdf", "h5netcdf")):
        try:
            __import__(module)
        except ImportError:
            continue
        return engine
    raise LibraryMissing("a netCDF file with groups needs netCDF4 or h5netcdf: apt-get install python3-netcdf4")


def inference_data_of(run):
    try:
        import arviz
    except ImportError as missing:
        raise LibraryMissing("this needs ArviZ: pip install arviz; to_netcdf() writes a file that it opens") from missing
    return arviz.InferenceData(**{name: data for name, data in groups_of(run).items() if name != "weights"})
