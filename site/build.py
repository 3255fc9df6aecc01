#!/usr/bin/env python3
"""build.py --giga COMMAND: the site in build/site. scripts/site calls it, and says what it needs."""

import argparse
import logging
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import mkdocs.commands.build
import mkdocs.config

import gallery
import pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE, WORK, SITE = ROOT / "build/site-source", ROOT / "build/site-work", ROOT / "build/site"
LANGUAGE = {".cpp": "cpp", ".hpp": "cpp", ".txt": "cmake"}


def write(path, text):
    path = SOURCE / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def first_sentence(header):
    """Of the comment at the head of a file."""
    words = []
    for line in header.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//") or line.strip() == "//":
            break
        words.append(line[2:].strip())
    return re.split(r"(?<=[.:])(?:\s|$)", " ".join(words), maxsplit=1)[0].rstrip(":.") + "."


def reference():
    """Doxygen's pages, and a page of ours that leads to them. Returns where each header has its page."""
    tags = WORK / "giga.tag"
    settings = (ROOT / "site/Doxyfile").read_text(encoding="utf-8")
    settings += f"OUTPUT_DIRECTORY = {SOURCE}\nGENERATE_TAGFILE = {tags}\n"
    subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, text=True, check=True)
    targets = {}
    for file in xml.etree.ElementTree.parse(tags).getroot().iterfind("compound[@kind='file']"):
        header = pathlib.Path(file.findtext("path"), file.findtext("name")).relative_to(ROOT)
        if header.suffix == ".hpp":
            targets[str(header)] = f"reference/{file.findtext('filename')}"
    text = ["# C++ reference", "",
            "Every public header, by the stage it belongs to; [the source tree](HACKING.md) says how the stages fit together, "
            "[examples](examples/README.md) show whole programs. [All classes](reference/annotated.html), [all "
            "files](reference/files.html) and a search field are in the "
            "reference itself.", ""]
    folders = {}
    for header in sorted(targets):
        folders.setdefault(header.split("/")[2], []).append(header)
    for folder in ["job", "pipeline", "model", "design", "data", "project", "construct", "infer", "report", "record", "dist", "base"]:
        text += [f"## {folder}", "", "| header | what it is |", "|---|---|"]
        for header in folders.pop(folder):
            text.append(f"| [`{header.removeprefix('include/')}`]({targets[header]}) | {pages.cell(first_sentence(ROOT / header))} |")
        text.append("")
    if folders:
        sys.exit(f"build.py: folders of include/giga that the reference does not list: {', '.join(folders)}")
    write("reference.md", "\n".join(text))
    return targets


def example_pages():
    """The programs of examples/ as pages, with a page that lists them."""
    targets = {"examples": "examples/README.md"}
    text = ["# Examples", "", "Programs to copy from; they are built and run as tests.", "", "| program | what it does |", "|---|---|"]
    for path in sorted((ROOT / "examples").glob("*.cpp")):
        text.append(f"| [`{path.name}`]({path.stem}.md) | {pages.cell(first_sentence(path))} |")
        write(f"examples/{path.stem}.md", f"# {path.name}\n\n" + pages.fenced(path.read_text(encoding="utf-8"), "cpp"))
        targets[f"examples/{path.name}"] = f"examples/{path.stem}.md"
    write("examples/README.md", "\n".join(text) + "\n")
    return targets


def stage(targets):
    """A copy of the tree's pages with links that lead to pages."""
    targets = targets | example_pages() | {"LICENSE": "LICENSE.md", "docs/python-tutorial.ipynb": "docs/python-tutorial.md"}
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        name = str(path.relative_to(ROOT))
        write(name, pages.page(path.read_text(encoding="utf-8"), name, targets))
    write("LICENSE.md", "# Licence\n\n" + pages.fenced((ROOT / "LICENSE").read_text(encoding="utf-8"), "text"))
    shutil.copytree(ROOT / "docs/figures", SOURCE / "docs/figures")
    for path in (ROOT / "docs").glob("*.ipynb"):
        shutil.copy(path, SOURCE / "docs")
        text, pictures = pages.notebook(path.read_text(encoding="utf-8"), path.name)
        name = f"docs/{path.stem}.md"
        write(name, pages.page(text, name, {key: value for key, value in targets.items() if value != name}))
        for picture, data in pictures.items():
            (SOURCE / "docs" / picture).write_bytes(data)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--giga", required=True, help="the command, which makes the gallery")
    giga = str(pathlib.Path(arguments.parse_args().giga).resolve())
    for folder in (SOURCE, WORK, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    WORK.mkdir(parents=True)
    print("Gallery", flush=True)
    gallery.make(giga, WORK / "gallery", SOURCE / "gallery")
    print("C++ reference", flush=True)
    targets = reference()
    print("Pages", flush=True)
    stage(targets)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    # Not by its command, which counts warnings of Python about the theme's own templates as faults of the pages.
    mkdocs.commands.build.build(mkdocs.config.load_config(str(ROOT / "site/mkdocs.yml")))
    # For file://, where a script may be loaded and a JSON file may not; theme/assets/offline_search.js waits for it.
    index = (SITE / "search/search_index.json").read_text(encoding="utf-8")
    (SITE / "search/search_index.js").write_text(f"gigaSearchIndex({index});\n", encoding="utf-8")


if __name__ == "__main__":
    main()
