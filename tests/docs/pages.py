"""What a page of the documentation asks its reader to do: commands, files to save, and output to expect.

A page is Markdown. Blocks are fenced or indented by four spaces.
  command   a line of a block without a language, or of `sh`, whose first word is a program of PROGRAMS or a path
            of this repository. Three blanks or more begin a remark to the reader; a backslash continues a line.
  file      a block of a language in FILE_LANGUAGES whose first line is a comment that begins with a file's name
  output    any other line of a block without a language, or of `sh` or `text`
"""
import re
from dataclasses import dataclass, field
from typing import List, Optional

PROGRAMS = {"giga", "awk", "cat", "cd", "head", "ls", "man", "mkdir", "mv", "rm", "python3", "Rscript", "source", "zcat",
            "apt-get", "cmake", "ctest", "git", "npm"}
REPOSITORY_PATH = re.compile(r"(scripts|benchmarks|build|\.)/\S")
SHELL_LANGUAGES = {"", "sh", "bash", "console", "text"}
FILE_LANGUAGES = {"python", "r", "stan"}
FILE_NAME = re.compile(r"(?:#|//)\s*([\w.-]+\.(?:py|R|stan))\b")
FENCE = re.compile(r"(```+|~~~+)\s*(\w*)")
NUMBER = re.compile(r"[-+]?(?:\d[\d,]*)?\.?\d+(?:e[-+]?\d+)?", re.IGNORECASE)


@dataclass
class Block:
    line: int  # the first line of its content, counted from 1
    language: str
    text: List[str] = field(default_factory=list)


@dataclass
class Step:
    """A command, a file or lines of output, in the order of the page."""
    kind: str  # "command", "file" or "output"
    line: int
    text: str  # the command, the content of the file, or the lines of output
    name: Optional[str] = None  # of a file


class PageError(Exception):
    pass


def blocks(markdown):
    """The fenced and indented blocks of a page."""
    found, fence, open_block, before_is_blank = [], None, None, True
    for number, line in enumerate(markdown.splitlines(), 1):
        if fence:
            if line.strip().startswith(fence):
                fence = open_block = None
            else:
                open_block.text.append(line)
            continue
        mark = FENCE.match(line)
        if mark:
            fence, open_block = mark.group(1), Block(number + 1, mark.group(2).lower())
            found.append(open_block)
            continue
        indented = line.startswith("    ")
        if indented and (open_block or before_is_blank):
            if not open_block:
                open_block = Block(number, "")
                found.append(open_block)
            open_block.text.append(line[4:])
        elif line.strip() or not open_block:
            open_block = None
        else:
            open_block.text.append("")
        before_is_blank = not line.strip()
    if fence:
        raise PageError("a fence is never closed")
    return found


def is_command(line):
    first = line.split(maxsplit=1)[0] if line.strip() else ""
    return first in PROGRAMS or bool(REPOSITORY_PATH.match(first))


def without_remark(line):
    return re.split(r"\s{3,}", line.strip())[0]


def steps(markdown):
    """The steps of a page, or PageError where it cannot be told what the reader should do."""
    found = []
    for block in blocks(markdown):
        if block.language in FILE_LANGUAGES:
            found.append(file_step(block))
        elif block.language in SHELL_LANGUAGES:
            found += shell_steps(block)
    return found


def file_step(block):
    name = FILE_NAME.match(block.text[0]) if block.text else None
    if not name:
        raise PageError(f"line {block.line}: the first line of a block of {block.language} names its file")
    return Step("file", block.line, "\n".join(block.text) + "\n", name.group(1))


def shell_steps(block):
    found, lines = [], enumerate(block.text, block.line)
    for number, line in lines:
        if is_command(line):
            command = without_remark(line)
            while command.endswith("\\"):
                command = command[:-1] + without_remark(next(lines)[1])
            found.append(Step("command", number, command))
        elif re.search(r"(^|[|;&]\s*)giga\s", line):
            raise PageError(f"line {number}: '{line.split()[0]}' is not among the programs that a page may use")
        elif line.strip():
            if not found or found[-1].kind != "output":
                found.append(Step("output", number, ""))
            found[-1].text += line + "\n"
    return found


def inline_commands(markdown):
    """`giga verb ...` in running text, as lists of words."""
    prose, fence = [], None
    for line in markdown.splitlines():
        mark = FENCE.match(line)
        if mark and (fence is None or line.startswith(fence)):
            fence = None if fence else mark.group(1)
        elif not fence and not line.startswith("    "):
            prose.append(line)
    spans = re.findall(r"`(giga\s[^`]+)`", "\n".join(prose))
    return [span.split() for span in spans]


def stable(line):
    """A line with every number replaced: what should be the same in the page and on the screen."""
    return " ".join(NUMBER.sub("#", line).split())
