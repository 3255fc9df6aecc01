"""Runs the commands of one page, in their order, as its reader would.

    run_page.py --giga PATH --root REPOSITORY PAGE      PAGE as docs/build.md
    run_page.py --giga PATH --root REPOSITORY --table   that pages.toml speaks of pages that are there

Every command must end with exit code 0, every line of output that the page shows must come out of a command, numbers
aside, and every `giga verb --option` in running text and every link to a file must exist. pages.toml has the files that
pages take for granted, what is not run and why, and what is not output.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import pages

HERE = pathlib.Path(__file__).resolve().parent
LISTS = ("not_run", "not_output", "provoked")
TIMEOUT_S = 60  # of one command; a page that needs longer is no page to read along


class Shell:
    """A folder in which the commands of a page are run; keeps all they print."""

    def __init__(self, giga, root):
        self.folder = tempfile.TemporaryDirectory(prefix="giga-docs-")
        # Debian's python3 before any other: it is the one that has NumPy.
        self.environment = dict(os.environ, HOME=self.folder.name, NO_COLOR="1", LC_ALL="C.UTF-8", GIGA_ROOT=str(root), TERM="dumb",
                                PATH=os.pathsep.join([str(giga.parent), "/usr/bin", "/bin", os.environ["PATH"]]))
        self.printed = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.folder.cleanup()

    def run(self, command):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder.name, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=TIMEOUT_S)
        self.printed += done.stdout.splitlines()
        return done.returncode, done.stdout

    def write(self, name, text):
        (pathlib.Path(self.folder.name) / name).write_text(text)


class Table:
    """pages.toml, as far as it speaks of one page."""

    def __init__(self, table, page):
        self.fixtures = [table["fixtures"][name] for name in table.get("pages", {}).get(page, [])]
        self.entries = {name: [e for e in table.get(name, []) if e["page"] == page] for name in LISTS}
        self.used = set()

    def find(self, kind, text):
        """The entry of this kind that covers the text, which is then used."""
        for entry in self.entries[kind]:
            if entry["starts"] == "*" or text.startswith(entry["starts"]):
                self.used.add(id(entry))
                return entry
        return None

    def cover(self, text):
        """Uses the entries for output that is not checked."""
        self.find("not_output", text)
        for line in text.splitlines():
            self.find("provoked", line)

    def unused(self):
        return [e for entries in self.entries.values() for e in entries if id(e) not in self.used]


def run_page(page, markdown, table, shell, report=print):
    """What is wrong with a page, as a list of sentences."""
    wrong, was_run = [], True
    for command in table.fixtures:
        code, output = shell.run(command)
        if code != 0:
            return [f"the fixture '{command}' ended with {code}:\n{output}"]
    for step in pages.steps(markdown):
        where = f"{page}:{step.line}"
        if step.kind == "file":
            shell.write(step.name, step.text)
        elif step.kind == "command":
            entry = table.find("not_run", step.text)
            was_run = not entry or ("unless" in entry and shell.run(entry["unless"])[0] == 0)
            if was_run:
                wrong += run_command(step.text, where, shell, report)
            else:
                report(f"{where}: not run: {step.text} ({entry['reason']})")
        elif was_run:
            wrong += check_output(step.text, where, table, shell)
        else:  # what a command prints that was not run cannot be known
            table.cover(step.text)
    wrong += [f"pages.toml: nothing in {page} begins with '{e['starts']}'" for e in table.unused()]
    return wrong


def run_command(command, where, shell, report):
    report(f"{where}: {command}")
    code, output = shell.run(command)
    return [] if code == 0 else [f"{where}: '{command}' ended with {code}:\n{output}"]


def check_output(text, where, table, shell):
    """Every line must have been printed; a page may leave lines out, with '...' or without."""
    if table.find("not_output", text):
        return []
    wrong = []
    for line in filter(str.strip, text.splitlines()):
        if line.strip() == "...":
            continue
        entry = table.find("provoked", line)
        if entry:
            wrong += provoke(entry, where, shell)
        if pages.stable(message(line)) not in {pages.stable(message(printed)) for printed in shell.printed}:
            wrong.append(f"{where}: no command of the page prints, numbers aside:\n{line}")
    return wrong


def message(line):
    """A line without what giga puts before its messages, which most pages leave out."""
    return re.sub(r"^giga: (error|note|warning): ", "", line)


def provoke(entry, where, shell):
    """Runs what makes giga print a line that the page shows without its command."""
    code, output = shell.run(entry["run"])
    if code == entry["exit"]:
        return []
    return [f"{where}: '{entry['run']}' ended with {code}, not {entry['exit']}:\n{output}"]


def check_inline(page, markdown, shell):
    """Options of commands named in running text must be those of the command."""
    wrong = []
    for words in pages.inline_commands(markdown):
        verbs = []
        for word in words[1:]:
            if not re.fullmatch(r"[a-z]+", word) or word not in help_text(shell, verbs):
                break
            verbs.append(word)
        known = help_text(shell, verbs)
        for option in re.findall(r"--[a-z][a-z-]*", " ".join(words)):
            if not re.search(re.escape(option) + r"(?![a-z-])", known):
                wrong.append(f"{page}: `{' '.join(words)}`: there is no option {option}")
    return wrong


def check_links(page, markdown, root):
    """Links into this repository must lead to a file."""
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", markdown)
    inside = [target for target in targets if "://" not in target]
    return [f"{page}: a link leads nowhere: {t}" for t in inside if not (root / page).parent.joinpath(t).exists()]


def help_text(shell, verbs):
    return shell.run(" ".join(["giga", *verbs, "--help-all"]))[1]


def check_table(table, root):
    named = set(table.get("pages", {})) | {e["page"] for name in LISTS for e in table.get(name, [])}
    wrong = [f"pages.toml: there is no page {page}" for page in sorted(named) if not (root / page).is_file()]
    used = {name for names in table.get("pages", {}).values() for name in names}
    wrong += [f"pages.toml: no page uses the fixture '{name}'" for name in table["fixtures"] if name not in used]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--giga", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("page", nargs="?")
    options = parser.parse_args()
    root = options.root.resolve()
    table = tomllib.loads((HERE / "pages.toml").read_text())
    if options.table:
        wrong = check_table(table, root)
    else:
        markdown = (root / options.page).read_text()
        with Shell(options.giga.resolve(), root) as shell:
            wrong = run_page(options.page, markdown, Table(table, options.page), shell)
            wrong += check_inline(options.page, markdown, shell)
            wrong += check_links(options.page, markdown, root)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
