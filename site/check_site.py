#!/usr/bin/env python3
"""check_site.py SITE: whether a site on disk is whole and keeps to itself. No network, and nothing but Python.

- Every link to a page, a file or an anchor of the site leads somewhere.
- No page loads anything from another host: scripts, styles, pictures, fonts, frames, or what a style sheet names.
- Every page can be reached from the first by links, and every page that MkDocs made, by its navigation or a page in it.

Names every fault, and ends with 1 if there is one.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

# What a browser loads by itself, by element. Of link elements those with these relations.
LOADS = {"script": ("src",), "img": ("src", "srcset"), "source": ("src", "srcset"), "iframe": ("src", "srcdoc"), "embed": ("src",),
         "object": ("data",), "video": ("src", "poster"), "audio": ("src",), "track": ("src",), "input": ("src",),
         "image": ("href", "xlink:href"), "use": ("href", "xlink:href"), "feimage": ("href", "xlink:href"), "frame": ("src",),
         "body": ("background",), "table": ("background",), "td": ("background",)}
RELATIONS = {"stylesheet", "icon", "shortcut", "apple-touch-icon", "manifest", "preload", "prefetch", "preconnect", "dns-prefetch",
             "modulepreload", "prerender"}
CSS = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.anchors, self.links, self.loads, self.refreshes = set(), [], [], []
        self.base, self.in_style = None, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        for name in ("id", "name"):
            if name in values and (name == "id" or tag == "a"):
                self.anchors.add(values[name])
        if tag in ("a", "area") and "href" in values:
            self.links.append(values["href"])
        if tag == "base":
            self.base = values.get("href")
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self.refreshes.append(values.get("content", ""))
        if tag == "link" and RELATIONS & set(values.get("rel", "").lower().split()):
            self.loads.append(values.get("href", ""))
        for name in LOADS.get(tag, ()):
            if values.get(name):
                self.loads += ([part.split()[0] for part in values[name].split(",")] if name == "srcset" else [values[name]])
        self.loads += css_loads(values.get("style", ""))
        self.in_style = tag == "style"

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        if tag == "style":
            self.in_style = False

    def handle_data(self, data):
        if self.in_style:
            self.loads += css_loads(data)


def css_loads(text):
    return [first or second for first, second in CSS.findall(text)]


def is_foreign(address):
    return bool(re.match(r"\s*(?!data:|blob:|about:|javascript:void\(0\)$|#)([a-z][a-z0-9+.-]*:|//)", address, re.IGNORECASE))


def target(page, address, site):
    """(file, anchor) of an address in a page; None for one that leads out of the site."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    file = page
    if parts.path:
        path = urllib.parse.unquote(parts.path)
        file = (site / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve()
        if file.is_dir():
            file = file / "index.html"
    return file, urllib.parse.unquote(parts.fragment)


def faults(site):
    site = pathlib.Path(site).resolve()
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8", errors="replace")) for path in sorted(site.rglob("*.html"))}
    found, reached, waiting = [], set(), [site / "index.html"]
    if not pages:
        return [f"{site}: no pages"], 0, 0
    num_links = 0
    for path, page in pages.items():
        name = path.relative_to(site)
        if page.base is not None or page.refreshes:
            found.append(f"{name}: <base> or a refresh, which this check does not follow")
        for address in page.loads:
            if is_foreign(address):
                found.append(f"{name}: loads {address[:120]}")
            elif not address.startswith(("data:", "#", "about:", "javascript:void(0)")):
                num_links += 1
                file = target(path, address, site)
                if file and not file[0].exists():
                    found.append(f"{name}: loads {address[:120]}, which is not there")
        for address in page.links:
            if address.startswith("javascript:") and address != "javascript:void(0)" and "reference" not in name.parts:
                found.append(f"{name}: a link that is a script: {address[:120]}")
            where = target(path, address, site)
            if where is None:
                continue
            num_links += 1
            file, anchor = where
            if site not in file.parents:
                found.append(f"{name}: {address} leads out of the site")
            elif not file.exists():
                found.append(f"{name}: {address} leads nowhere")
            elif anchor == "nested-classes" and name.parts[0] == "reference":
                continue  # Doxygen 1.9.4 links to them also where all are private and so not shown
            elif anchor and file in pages and anchor not in pages[file].anchors and not anchor.startswith("__"):
                found.append(f"{name}: {address}: there is no such anchor")
    for path in site.rglob("*.css"):
        for address in css_loads(path.read_text(encoding="utf-8", errors="replace")):
            if is_foreign(address):
                found.append(f"{path.relative_to(site)}: loads {address[:120]}")
    while waiting:
        path = waiting.pop()
        if path in reached or path not in pages:
            continue
        reached.add(path)
        for address in pages[path].links:
            where = target(path, address, site)
            if where:
                waiting.append(where[0])
    for path in pages:
        name = path.relative_to(site)
        # The reference has parts that only its scripts lead to, such as the lists behind its search field.
        if path not in reached and name.name != "404.html" and name.parts[0] != "reference":
            found.append(f"{name}: no link leads there from the first page")
    return found, len(pages), num_links


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found, num_pages, num_links = faults(sys.argv[1])
    for fault in found:
        print(fault)
    print(f"{num_pages} pages, {num_links} links and loads within the site, {len(found)} faults")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
