#!/usr/bin/env python3
"""site_test.py ROOT: the parts of the site that need nothing but Python.

Pages are all in the navigation and in the index, links between them lead somewhere on a Git host, too, and what looks for
faults in a built site finds them.
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "site"))
sys.dont_write_bytecode = True

import check_site  # noqa: E402
import pages  # noqa: E402

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


def without_code(text):
    """Lines that are not code."""
    fenced, out = False, []
    for line in text.split("\n"):
        if pages.FENCE.match(line):
            fenced = not fenced
        elif not fenced and not re.match(r" {4,}\S", line):
            out.append(line)
    return out


def anchors(text):
    """As Git hosts make them: small letters, no punctuation, hyphens for blanks, numbers for repeats."""
    found = []
    for line in without_code(text):
        heading = re.match(r"#+ (.*)", line)
        if heading:
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower().strip()
            anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            repeats = found.count(anchor)
            found.append(f"{anchor}-{repeats}" if repeats else anchor)
    return set(found)


class Site(unittest.TestCase):
    def test_every_page_is_in_the_navigation_and_in_the_index(self):
        navigation = re.findall(r"^ +- .*: (\S+\.md)$", (ROOT / "site/mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(len(navigation), len(set(navigation)), "a page is in the navigation twice")
        index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        for path in PAGES:
            name = str(path.relative_to(ROOT))
            self.assertIn(name, navigation, "site/mkdocs.yml")
            if path.parent.name == "docs" and path.name != "README.md":
                self.assertIn(f"]({path.name})", index, "docs/README.md")
        made = {"docs/python-tutorial.md", "LICENSE.md", "reference.md", "gallery/README.md", "examples/README.md"}
        self.assertEqual(set(navigation) - made, {str(path.relative_to(ROOT)) for path in PAGES})

    def test_links_lead_somewhere_on_a_git_host(self):
        for path in PAGES:
            for line in without_code(path.read_text(encoding="utf-8")):
                for _, address, _ in pages.LINK.findall(re.sub(r"`[^`]*`", "", line)):
                    if re.match(r"[a-z]+:", address):
                        continue
                    file, _, anchor = address.partition("#")
                    target = (path.parent / file).resolve() if file else path
                    self.assertTrue(target.exists(), f"{path.name}: {address}")
                    self.assertTrue(ROOT in target.parents, f"{path.name}: {address}")
                    if anchor and target.suffix == ".md":
                        self.assertIn(anchor, anchors(target.read_text(encoding="utf-8")), f"{path.name}: {address}")

    def test_lists_are_indented_for_python_markdown(self):
        self.assertEqual(pages.four_columns("a:\n- one\n  more\n\n      code\n- two\n  - three\n    of it\n\nend"),
                         "a:\n\n- one\n    more\n\n        code\n\n- two\n    - three\n        of it\n\nend")
        self.assertEqual(pages.four_columns("10. ten\n    of it\n\n    code"), "10. ten\n    of it\n\n    code")
        self.assertEqual(pages.four_columns("```\n- x\n  y\n```\n\n    - code\n"), "```\n- x\n  y\n```\n\n    - code\n")

    def test_links_to_sources_lead_to_their_pages(self):
        targets = {"examples/a.cpp": "examples/a.md", "include/x.hpp": "reference/x.html"}
        self.assertEqual(pages.relinked("[a](../examples/a.cpp) [b](b.md#c) [x](../include/x.hpp)", "docs/p.md", targets),
                         "[a](../examples/a.md) [b](b.md#c) [x](../reference/x.html)")
        self.assertEqual(pages.table_code("| `(1 \\| g)` | b |"), "| <code>(1 &#124; g)</code> | b |")

    def test_the_check_of_a_site_finds_what_is_wrong(self):
        good = '<html><body><h1 id="top">x</h1><a href="b.html#there">b</a></body></html>'
        cases = {'<a href="no.html">': "leads nowhere", '<a href="b.html#no">': "no such anchor", '<a href="../x">': "leads out",
                 '<script src="https://cdn.example/x.js"></script>': "loads", '<img src="//cdn.example/x.png">': "loads",
                 '<img srcset="a.png 1x, https://h/x.png 2x">': "loads", '<link rel="preconnect" href="https://fonts.example">': "loads",
                 '<style>@import "https://h/x.css"</style>': "loads", '<p style="background:url(http://h/x)">': "loads",
                 '<iframe src="https://h/"></iframe>': "loads", '<script src="no.js"></script>': "not there",
                 '<a href="javascript:alert(1)">': "script", '<base href="https://h/">': "base"}
        for markup, word in {"": None, **cases}.items():
            with tempfile.TemporaryDirectory() as folder:
                site = pathlib.Path(folder)
                (site / "index.html").write_text(good.replace("</body>", markup + "</body>"), encoding="utf-8")
                (site / "b.html").write_text('<a name="there"></a><a href="index.html#top">', encoding="utf-8")
                (site / "a.png").write_bytes(b"")
                found = check_site.faults(site)[0]
                self.assertEqual(len(found), 1 if word else 0, (markup, found))
                if word:
                    self.assertIn(word, found[0])
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "index.html").write_text("<p>", encoding="utf-8")
            (pathlib.Path(folder) / "lost.html").write_text("<p>", encoding="utf-8")
            (pathlib.Path(folder) / "x.css").write_text("a { background: url('https://h/x.png') }", encoding="utf-8")
            found = check_site.faults(folder)[0]
            self.assertEqual(len(found), 2, found)

    def test_a_notebook_is_a_page(self):
        for path in (ROOT / "docs").glob("*.ipynb"):
            text, pictures = pages.notebook(path.read_text(encoding="utf-8"), path.name)
            self.assertTrue(text.startswith("# "))
            self.assertEqual(len(pictures), text.count("!["))
            self.assertTrue(all(data.startswith(b"\x89PNG") for data in pictures.values()))


if __name__ == "__main__":
    unittest.main()
