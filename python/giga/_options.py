"""Keywords to settings of the command: the one description of options is the command's own.

`_giga.verbs()` tells every option of every verb. A keyword is the option with underscores, and one that takes
something away has the name of what it takes: header=False is --no-header. Values become the text that the
command would have been given, so that checks, defaults and messages are its own.
"""

import difflib
import inspect
import os
import textwrap

from . import _giga

# Options that speak of a terminal.
_LEFT_OUT = {"json", "quiet", "csv"}


class Verb:
    """A verb of the command: its name, description and options by keyword."""

    def __init__(self, told):
        self.name = told["name"]
        self.description = told["description"]
        self.options = {each["name"]: each for each in told["options"] if each["option"] not in _LEFT_OUT}

    def settings(self, keywords, function):
        """[(option, text)] of keywords; None is a keyword that was not given."""
        out = []
        for name, value in keywords.items():
            option = self.options.get(name)
            if option is None:
                raise TypeError(_unknown(function, name, self.options))
            if value is None:
                continue
            for text in _texts(name, option, value):
                out.append((option["option"], _encoded(name, text)))
        return out


def _read():
    verbs = {}
    for told in _giga.verbs():
        verbs[told["name"]] = Verb(told)
        for each in told["verbs"]:
            verbs[f"{told['name']} {each['name']}"] = Verb(each)
    return verbs


VERBS = _read()


def _unknown(function, name, options):
    positive = name[3:] if name.startswith("no_") else None
    if positive in options:
        return f"giga.{function}() got an unexpected keyword argument '{name}'; say {positive}=False"
    near = difflib.get_close_matches(name, options, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]}=?" if near else f"; help(giga.{function}) lists them"
    return f"giga.{function}() got an unexpected keyword argument '{name}'{hint}"


def _encoded(name, text):
    if "\0" in text:
        raise ValueError(f"{name}= has a null character")
    return text.encode("utf-8", "surrogateescape")


def _is_negation(option):
    return option["flag"] and option["option"].startswith("no-")


def _text(name, value):
    """One value as the command would be given it."""
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        raise TypeError(f"{name}= is {bool(value)}; must be a value, not a truth")
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if hasattr(value, "__float__") and not hasattr(value, "__len__"):
        number = float(value)
        return repr(int(number)) if number.is_integer() and abs(number) < 2**63 else repr(number)
    raise TypeError(f"{name}= is a {type(value).__name__}; must be a str, a number or a path")


def _quoted(name, value):
    """An element of a list as CSV has it."""
    text = _text(name, value)
    if any(sign in text for sign in ',"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _texts(name, option, value):
    if option["flag"]:
        if not isinstance(value, bool) and type(value).__name__ != "bool_":
            raise TypeError(f"{name}= is a {type(value).__name__}; must be True or False")
        if _is_negation(option):
            return [] if value else ["true"]
        return ["true"] if value else []
    if isinstance(value, dict):  # prior={"x1": "normal(0, 1)"}
        return [f"{key}={_text(name, each)}" for key, each in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
        elements = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
        if "," in option["value"]:
            if not elements:
                raise ValueError(f"{name}= is empty; leave it out")
            return [",".join(_quoted(name, each) for each in elements)]
        return [_text(name, each) for each in elements]
    return [_text(name, value)]


def _signature(verb, leading):
    parameters = list(leading)
    taken = {each.name for each in parameters}
    for name, option in verb.options.items():
        if name in taken:
            continue
        default = _is_negation(option) if option["flag"] else None
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    return inspect.Signature(parameters)


def _section(verb, leading):
    """The options of a docstring, by the groups of the help."""
    lines, group = [], None
    taken = {each.name for each in leading}
    for name, option in verb.options.items():
        if name in taken:
            continue
        if option["group"] != group:
            group = option["group"]
            lines += ["", group.replace("DATA", "data") + ":"]
        help_text = option["help"].replace("DATA", "data")
        if _is_negation(option):
            help_text = "False: " + help_text[:1].lower() + help_text[1:]
        lines.append(f"    {name}")
        lines += textwrap.indent(help_text, " " * 8).splitlines()
    return "\n".join(lines).strip("\n")


def documented(*names):
    """Gives a function the options of the verbs as its signature, and their help as the end of its docstring."""

    def decorate(function):
        own = [each for each in inspect.signature(function).parameters.values()
               if each.kind is not inspect.Parameter.VAR_KEYWORD]
        merged = Verb({"name": names[0], "description": "", "options": []})
        for name in names:
            for key, option in VERBS[name].options.items():
                known = merged.options.setdefault(key, dict(option))
                known["choices"] = list(dict.fromkeys([*known["choices"], *option["choices"]]))
        function.__signature__ = _signature(merged, own)
        function.__doc__ = (inspect.cleandoc(function.__doc__) + "\n\nOptions, as those of the command:\n\n" +
                            _section(merged, own) + "\n")
        return function

    return decorate
