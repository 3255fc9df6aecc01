"""Pages of the repository as MkDocs needs them.

The pages are written for Git hosts, that is in CommonMark; MkDocs has Python-Markdown, to which a list's own paragraphs begin
at multiples of four columns, and which leaves \\| in code as it is. Links between pages stay as they are; links to files
that are no pages lead to what site/build.py makes of them.
"""

import base64
import json
import posixpath
import re

FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)\S")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def four_columns(text):
    """Lists as Python-Markdown takes them: what belongs to an item is four columns in, per level."""
    out, columns, fenced = [], [], False  # columns: where the text of each open item begins
    for line in text.split("\n"):
        blanks = len(line) - len(line.lstrip(" "))
        if not line.strip():
            out.append("")
            continue
        if not fenced:
            item = ITEM.match(line)
            after_blank = not out or not out[-1].strip()
            # A line that begins before an item's text ends the item, unless it goes on with its paragraph.
            while columns and blanks < columns[-1] and (after_blank or item):
                columns.pop()
            if item and (columns and blanks >= columns[-1] or blanks < 4):
                lead = "    " * len(columns)
                columns.append(len(item.group(1)) + len(item.group(2)) + len(item.group(3)))
                begins = bool(out) and out[-1].strip() and len(columns) == 1 and not inside_list(out)
                if begins:
                    out.append("")  # a list after a paragraph needs a blank line
                out.append(lead + item.group(2) + " " + line[columns[-1]:])
                continue
        if FENCE.match(line):
            fenced = not fenced
        inner = columns[-1] if columns else 0
        if not columns or blanks < inner:
            out.append(line)
        else:
            out.append("    " * len(columns) + line[inner:])
    return "\n".join(out)


def inside_list(lines):
    """Whether the paragraph that the last line belongs to began as an item."""
    for line in reversed(lines):
        if not line.strip():
            return False
        if ITEM.match(line):
            return True
    return False


def table_code(text):
    """A | in code in a table is \\| on Git hosts. Python-Markdown keeps the backslash, so such code is HTML here."""
    out, fenced = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        if not fenced and line.startswith("|") and "\\|" in line:
            line = CODE.sub(code_as_html, line)
        out.append(line)
    return "\n".join(out)


def code_as_html(match):
    inside = match.group(2)
    if "\\|" not in inside:
        return match.group(0)
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\\|", "&#124;"), ("*", "&#42;"), ("_", "&#95;")):
        inside = inside.replace(char, entity)
    return f"<code>{inside}</code>"


def relinked(text, page, targets):
    """Links of `page` to a key of `targets` lead to its value; both are paths from the root."""
    folder, out, fenced = posixpath.dirname(page), [], False

    def new(match):
        address, _, anchor = match.group(2).partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return match.group(0)
        target = targets.get(posixpath.normpath(posixpath.join(folder, address)))
        if target is None:
            return match.group(0)
        return match.group(1) + posixpath.relpath(target, folder or ".") + ("#" + anchor if anchor else "") + match.group(3)

    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        out.append(line if fenced or line.startswith("    ") else LINK.sub(new, line))
    return "\n".join(out)


def page(text, name, targets):
    return four_columns(table_code(relinked(text, name, targets)))


def cell(text):
    """Words of a comment as a cell of a table: code between backticks, all else as it stands."""
    pieces = text.split("`")
    for k in range(0, len(pieces), 2):
        pieces[k] = re.sub(r"([\\*_<>\[\]])", r"\\\1", pieces[k])
    return "`".join(pieces).replace("|", "&#124;")


def fenced(code, language=""):
    ticks = "```"
    while ticks in code:
        ticks += "`"
    return f"{ticks}{language}\n{code.rstrip()}\n{ticks}\n"


def notebook(text, file_name):
    """(Markdown, {file name: bytes of a picture}) of a notebook: cells, and what they gave when it was run."""
    parts, pictures = [], {}
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            if len(parts) == 1:
                parts.append(f"This page is the notebook [{file_name}]({file_name}) with the results of its last run.")
            continue
        parts.append(fenced(source, "python"))
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{file_name.rsplit('.', 1)[0]}-{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![what the cell above draws]({name})")
            elif "text/plain" in data or "text" in output:
                parts.append(fenced("".join(data.get("text/plain") or output["text"]), "text"))
            else:
                raise ValueError(f"{file_name}: an output of type {output['output_type']} that site/pages.py does not know")
    return "\n\n".join(parts) + "\n", pictures
