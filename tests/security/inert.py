"""What it means that text is inert in a page, a table, a record and on a terminal. Each function raises AssertionError."""

import base64
import csv
import hashlib
import html.parser
import io
import json
import re
import unicodedata

POLICY = re.compile(r"default-src 'none'; script-src '(sha256-[A-Za-z0-9+/=]+)'; style-src '(sha256-[A-Za-z0-9+/=]+)'; "
                    r"base-uri 'none'; form-action 'none'")
SGR = re.compile(r"\x1b\[(0|33|36|1;31)m")


def is_unseen(text, i):
    """Whether a character acts on a terminal, turns text round or is not seen."""
    char = text[i]
    if char in "\u200c\u200d" or "\ufe00" <= char <= "\ufe0f":
        return i == 0 or text[i - 1] < "\x80"
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(text):
    """Text as a message shows it."""
    out = ""
    for char in text:
        unseen = is_unseen(out[-1:] + char, len(out[-1:]))
        out += "".join(f"\\x{byte:02x}" for byte in char.encode()) if unseen else char
    return out


def terminal(raw, live=False):
    """Bytes that a terminal got: text, ends of lines and tabs, and on a live one the colours and lines of the progress."""
    text = raw.decode("utf-8")  # strict: every byte belongs to a character
    if live:
        text = SGR.sub("", text.replace("\r\n", "\n").replace("\r\x1b[K", ""))
    for i, char in enumerate(text):
        if char not in "\n\t" and is_unseen(text, i):
            raise AssertionError(f"U+{ord(char):04X} reaches the terminal: {text[max(0, i - 60):i + 40]!r}")
    return text


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.marks, self.scripts, self.styles, self.policies, self.inside = set(), [], [], [], None
        self.words = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        self.marks |= {tag} | {f"{tag} {name}" for name in names}
        values = dict(attributes)
        if tag == "meta" and values.get("http-equiv"):
            self.policies.append((values["http-equiv"], values.get("content")))
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "src", "srcset", "action", "formaction", "data", "poster", "srcdoc"):
                raise AssertionError(f"<{tag} {name}={value!r}>")
            if name in ("href", "xlink:href") and not (value or "").startswith("#"):
                raise AssertionError(f"<{tag} {name}={value!r}>")
            if value and any(is_unseen(value, i) for i in range(len(value))):
                raise AssertionError(f"<{tag} {name}={value!r}>: characters that are not seen")
        self.inside = tag if tag in ("script", "style") else None
        if tag == "script":
            self.scripts.append([values, ""])
        elif tag == "style":
            self.styles.append("")

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1][1] += data
        elif self.inside == "style":
            self.styles[-1] += data
        else:
            self.words.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data[:60]!r}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration: {data[:60]!r}")


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(raw, marks=None):
    """A report. `marks`: the elements and attributes that a report of harmless names has; this one has no others."""
    text = raw.decode("utf-8")
    found = Page(text)
    if [name for name, _ in found.policies] != ["Content-Security-Policy"]:
        raise AssertionError(f"policies: {found.policies}")
    policy = POLICY.fullmatch(found.policies[0][1])
    if not policy:
        raise AssertionError(f"policy: {found.policies[0][1]}")
    if text.index("Content-Security-Policy") > text.index("<title>"):
        raise AssertionError("text from outside comes before the policy")
    if len(found.scripts) != 2 or len(found.styles) != 1:
        raise AssertionError(f"{len(found.scripts)} scripts and {len(found.styles)} styles")
    (data, json_text), (program, program_text) = found.scripts
    if data != {"type": "application/json", "id": "report-data"} or program != {}:
        raise AssertionError(f"scripts have other attributes: {data}, {program}")
    if (digest(program_text), digest(found.styles[0])) != policy.groups():
        raise AssertionError("the script or the style is not the one that the policy knows")
    if re.search(r"[<>&\x7f-\U0010ffff]", json_text):
        raise AssertionError("the page's data could end their element, or have characters that are not seen")
    if marks is not None and not found.marks <= marks:
        raise AssertionError(f"elements or attributes of its own: {sorted(found.marks - marks)}")
    words = "".join(found.words)
    for i, char in enumerate(words):
        if char not in "\n\t" and is_unseen(words, i):
            raise AssertionError(f"U+{ord(char):04X} in the page: {words[max(0, i - 60):i + 40]!r}")
    json.loads(json_text)
    return found


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def table(raw):
    """A CSV file: rows of one length, and no cell that a spreadsheet would take for a formula. Returns its rows."""
    text = "".join(line for line in raw.decode("utf-8").splitlines(keepends=True) if not line.startswith("# ") and line != "#\n") \
        if raw.startswith(b"# Draws by giga") else raw.decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len({len(row) for row in rows}) != 1:
        raise AssertionError(f"rows of different lengths: {sorted({len(row) for row in rows})}")
    for row in rows:
        for cell in row:
            if cell[:1] in tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20") and cell and not is_number(cell):
                raise AssertionError(f"a spreadsheet would run {cell[:80]!r}")
    return rows


def plain(cell):
    """A cell without the apostrophe that keeps it from being a formula."""
    rest = cell.lstrip("'")
    active = rest[:1] in tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20") and rest != "" and not is_number(rest)
    return cell[1:] if cell.startswith("'") and active else cell


def strings_of(value):
    """All strings in a value of JSON, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)


def record(raw, expected=()):
    """JSON that reads back to the `expected` strings, with nothing in it that a terminal would act on."""
    terminal(raw)
    value = json.loads(raw)
    have = set(strings_of(value))
    for text in expected:
        if text not in have:
            raise AssertionError(f"{text[:80]!r} did not come back")
    return value
