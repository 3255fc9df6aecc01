#!/usr/bin/env python3
"""The folders tell the truth: who may include whom.

  layers_test.py ROOT           checks the tree, names every fault, exit code 1 if there is one
  layers_test.py ROOT --graph   prints which folder includes which

- A layer includes only itself and those below it; folders of one level (project, construct and infer; design and dist) do
  not include each other.
- A header in src/ belongs to its folder. Other folders include it only if SHARED names it.
- tools/, experiments/, examples/ and python/ include public headers only; python/ those of tools/ besides.
"""

import pathlib
import re
import sys
import unittest

LAYERS = [{"base"}, {"data"}, {"design", "dist"}, {"model"}, {"project", "construct", "infer"}, {"pipeline"}, {"report"},
          {"record"}, {"job"}]
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}

# Private headers that other folders of the library use.
SHARED = {
    "base/atomic_bounds.hpp",                                          # what threads find
    "base/block_parts.hpp", "base/shared_entries.hpp",                 # folds and arrays, here and along ranks
    "base/dense_kernels.hpp", "base/extended.hpp", "base/require.hpp",  # vectors
    "base/free_memory.hpp",                                            # between stages
    "base/system_failure.hpp",                                         # what an errno means
    "data/csv_header.hpp", "data/csv_row.hpp",                         # a file of draws is CSV too
    "model/family_kernels.hpp", "model/packed_kernels.hpp", "model/tile_kernels.hpp",  # the hot loops
    "model/scratch.hpp",
    "record/forms.hpp",                                                # the JSON form of a summary
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folder_of(path, root):
    parts = path.relative_to(root).parts
    return parts[2] if parts[0] == "include" else parts[1]


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def sources(root, *tops):
    return sorted(path for top in tops for path in (root / top).rglob("*") if path.suffix in {".cpp", ".hpp"})


def edges(root):
    """(file, its folder, the header as it is named, the header's folder) for all includes of the library."""
    for path in sources(root, "include", "src"):
        for header in includes(path):
            public = header.startswith("giga/")
            parts = header.split("/")
            target = parts[1] if public else parts[0]
            if target in LEVEL and (public or (root / "src" / header).exists()):
                yield path, folder_of(path, root), header, target


def faults(root):
    found = []
    for path, folder, header, target in edges(root):
        name = path.relative_to(root)
        if folder not in LEVEL:
            found.append(f"{name}: the folder '{folder}' is no layer; add it to LAYERS")
            continue
        if target != folder and LEVEL[target] >= LEVEL[folder]:
            found.append(f"{name}: {folder} may not include {target} ({header})")
        if not header.startswith("giga/") and target != folder and header not in SHARED:
            found.append(f"{name}: {header} is private to {target}; name it in SHARED or use a public header")
        if str(name).startswith("include") and not header.startswith("giga/"):
            found.append(f"{name}: a public header includes the private {header}")
    for path in sources(root, "tools", "experiments", "examples", "python"):
        for header in includes(path):
            if not header.startswith("giga/") and (root / "src" / header).exists() \
                    and not (root / "tools" / header).exists():
                found.append(f"{path.relative_to(root)}: {header} is a private header of the library")
    return found


def graph(root):
    uses = {}
    for _, folder, _, target in edges(root):
        if target != folder:
            uses.setdefault(folder, set()).add(target)
    order = [folder for folders in LAYERS for folder in sorted(folders)]
    return "\n".join(f"{folder:<10} -> {', '.join(each for each in order if each in uses.get(folder, set()))}"
                     for folder in order if folder in uses)


class Layers(unittest.TestCase):
    root = None

    def test_no_layer_includes_one_above_it_or_a_private_header(self):
        self.assertEqual(faults(self.root), [])

    def test_shared_headers_are_used_by_other_folders(self):
        used = {header for _, folder, header, target in edges(self.root) if target != folder}
        self.assertEqual(sorted(SHARED - used), [], "named as shared, but no other folder uses them")

    def test_hacking_draws_this_graph(self):
        drawn = (self.root / "HACKING.md").read_text(encoding="utf-8")
        for line in graph(self.root).splitlines():
            self.assertIn(line, drawn, "HACKING.md draws another graph; see --graph")


if __name__ == "__main__":
    Layers.root = pathlib.Path(sys.argv[1])
    if "--graph" in sys.argv:
        print(graph(Layers.root))
    else:
        unittest.main(argv=sys.argv[:1])
