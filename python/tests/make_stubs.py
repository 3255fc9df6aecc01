#!/usr/bin/env python3
"""Writes python/giga/__init__.pyi from the verbs as they are: PYTHONPATH=build/release/python python/tests/make_stubs.py.

A test compares the file with what this makes, so that it cannot go out of date.
"""

import inspect
import pathlib

import giga
from giga import _options, own_model

HEAD = '''# Written by python/tests/make_stubs.py from the options of the command.
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import errors as errors
'''

ALIASES = '''
_Path = str | bytes | os.PathLike[str]
_Value = str | int | float | os.PathLike[str]
_Function = Callable[[np.ndarray, np.ndarray], Any]
_Progress = bool | Callable[[str, int, int], object] | None

__version__: str
'''

OWN = {"data": "Any", "comm": "Any", "formula": "str | None", "y": "Any", "weights": "Any", "names": "Sequence[str] | None",
       "strict": "bool", "progress": "_Progress", "coreset": "Coreset | Fit | _Path | None",
       "sampled": "Sample | _Path | None", "coresets": "Coreset | Fit | _Path", "fit": "Fit | _Path",
       "draws": "Sample | _Path", "run": "Fit | Sample | _Path", "what": "str", "out": "_Path | None", "path": "_Path",
       "comm": "Any", "log_likelihood": "_Function | None", "gradient": "_Function | None", "num_rows": "int | None",
       "num_parameters": "int | None", "prior": "float | str | Sequence[float | str] | Mapping[str, float | str] | None",
       "start": "Sequence[float] | np.ndarray | None", "check_gradient": "bool", "name": "str", "description": "str | None",
       "vectors": "_Path | np.ndarray | None", "loglik": "_Path | np.ndarray | None", "force": "bool", "order": "int"}
RESULTS = {"fit": "Fit", "build": "Coreset", "sample": "Sample", "check": "Certificate", "merge": "Coreset",
           "predict": "Predictions", "summary": "Summary", "report": "pathlib.Path", "simulate": "Any",
           "read": "Fit | Sample | Coreset", "coreset": "Any", "numerical_gradient": "_Function"}


def option_type(option):
    if option["flag"]:
        return "bool | None"
    if option["choices"]:
        return "Literal[" + ", ".join(f'"{each}"' for each in option["choices"]) + "] | None"
    if option["option"] == "prior":
        return "str | Sequence[str] | Mapping[str, str] | None"
    if option["option"] in ("vectors", "loglik"):
        return "_Path | np.ndarray | None"
    if "," in option["value"]:
        return "_Value | Sequence[_Value] | None"
    return "_Value | None"


def function_stub(name):
    function = getattr(giga, name)
    verb_name = {"coreset": "fit"}.get(name, name)  # whose options it has
    verbs = [verb for key, verb in _options.VERBS.items() if key == verb_name or key.startswith(verb_name + " ")]
    options = {}
    if name == "coreset":
        verbs = [own_model._VERB]
    for verb in verbs:
        for key, option in verb.options.items():
            known = options.setdefault(key, dict(option))
            known["choices"] = list(dict.fromkeys([*known["choices"], *option["choices"]]))
    own = inspect.signature(function).parameters
    lines, star = [], False
    code = function.__code__
    given = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    for each in own.values():
        if each.kind is inspect.Parameter.VAR_POSITIONAL:
            lines.append(f"    *{each.name}: {OWN[each.name]},")
            star = True
            continue
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            lines.append("    *,")
            star = True
        if each.name in given and each.name in OWN:
            kind = OWN[each.name]
        else:
            kind = option_type(options[each.name]) if each.name in options else "Any"
        default = "" if each.default is inspect.Parameter.empty else " = ..."
        lines.append(f"    {each.name}: {kind}{default},")
        if each.kind is inspect.Parameter.POSITIONAL_ONLY:
            lines.append("    /,")
    return f"def {name}(\n" + "\n".join(lines) + f"\n) -> {RESULTS.get(name, 'Any')}: ..."


def stub():
    classes = [name for name in giga.__all__ if inspect.isclass(getattr(giga, name))]
    imports = {}
    for name in classes:
        imports.setdefault(getattr(giga, name).__module__.split(".")[-1], []).append(name)
    text = HEAD
    for module, names in sorted(imports.items()):
        text += "".join(f"from .{module} import {name} as {name}\n" for name in names)
    text += ALIASES
    for name in giga.__all__:
        if inspect.isfunction(getattr(giga, name)):
            text += "\n" + function_stub(name) + "\n"
    return text


if __name__ == "__main__":
    (pathlib.Path(__file__).parent.parent / "giga" / "__init__.pyi").write_text(stub(), encoding="utf-8")
