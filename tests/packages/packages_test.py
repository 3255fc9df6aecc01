#!/usr/bin/env python3
"""packages_test.py --root TREE --build BUILD --giga COMMAND --generator NAME: versions agree wherever they are written, the
copyright file and the SBOM name all that is bundled, and the SBOM's own check finds what is wrong."""

import argparse
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SETTINGS = None


def text(path):
    return (SETTINGS.root / path).read_text("utf-8")


def run(*command, **options):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, **options)


def bundled():
    """The packages in the report's script, by the notices in it: (name, version) and licence."""
    return {(name, version): licence for name, version, licence in
            re.findall(r"^(\S+) (\d\S*) \(([^)]+)\)$", text("src/report/page/assets/THIRD_PARTY.txt"), re.MULTILINE)}


class Versions(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r"project\(giga VERSION ([0-9.]+)", text("CMakeLists.txt")).group(1)

    def test_the_newest_entry_of_the_debian_changelog_is_that_of_cmake(self):
        self.assertEqual(re.match(r"giga \(([^)]+)\) \S+; urgency=", text("debian/changelog")).group(1), self.version)

    def test_the_newest_entry_of_the_changelog_is_that_of_cmake(self):
        self.assertEqual(re.search(r"^## \[([0-9.]+)\]", text("CHANGELOG.md"), re.MULTILINE).group(1), self.version)

    def test_the_command_is_of_that_version(self):
        self.assertEqual(run(SETTINGS.giga, "--version").stdout, f"giga {self.version}\n")

    def test_the_python_package_is_of_that_version(self):
        module = SETTINGS.build / "python"
        if not list(module.glob("giga/_giga.*.so")):
            self.skipTest("the Python package is not built; configure with -DGIGA_BUILD_PYTHON=ON")
        done = run(sys.executable, "-c", "import giga; print(giga.__version__)", env=dict(os.environ, PYTHONPATH=str(module)))
        self.assertEqual(done.stdout, self.version + "\n", done.stderr)

    def test_pip_and_debian_know_the_same_requirements(self):
        required = re.search(r'^dependencies = \[(.*)\]$', text("pyproject.toml"), re.MULTILINE).group(1)
        metadata = re.findall(r"^Requires-Dist: (.*)$", text("python/METADATA.in"), re.MULTILINE)
        self.assertEqual(re.findall(r'"([^"]+)"', required), metadata)
        python = re.search(r'^requires-python = "(.*)"$', text("pyproject.toml"), re.MULTILINE).group(1)
        self.assertIn(f"Requires-Python: {python}\n", text("python/METADATA.in"))


class Copyright(unittest.TestCase):
    def test_every_bundled_package_is_named(self):
        words = " ".join(text("debian/copyright").split())
        for name, version in bundled():
            self.assertRegex(words, rf"(?<!\S){re.escape(name)} {re.escape(version)}[,.]")

    def test_every_licence_that_is_named_has_its_text(self):
        paragraphs = re.split(r"\n\n+", text("debian/copyright"))
        named, given = set(), set()
        for each in paragraphs:
            licence = re.search(r"^License: (.*)$", each, re.MULTILINE)
            if licence:
                (named if re.search(r"^Files:", each, re.MULTILINE) else given).update(licence.group(1).split(" and "))
        self.assertEqual(named, given)

    def test_every_holder_is_named(self):
        own = text("debian/copyright")
        for holder in re.findall(r"^Copyright (?:\(c\) )?[0-9-]+,? (.*?)\.?$", text("src/report/page/assets/THIRD_PARTY.txt"),
                                 re.MULTILINE):
            self.assertIn(holder, own)


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if SETTINGS.generator != "Ninja" or not shutil.which("dpkg-query") or not shutil.which("readelf"):
            raise unittest.SkipTest("the SBOM is made from a build by Ninja on Debian, with binutils")
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "giga.spdx.json"
        made = run(SETTINGS.root / "scripts/sbom", "--build", SETTINGS.build, "--name", "giga", "--out", cls.path,
                   SETTINGS.giga.relative_to(SETTINGS.build), env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
        if made.returncode:
            raise AssertionError(made.stderr)
        cls.told = made.stderr
        cls.document = json.loads(cls.path.read_text("utf-8"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def related(self, kind):
        names = {each["SPDXID"]: each["name"] for each in self.document["packages"]}
        return {names.get(each["relatedSpdxElement"]) for each in self.document["relationships"]
                if each["relationshipType"] == kind}

    def test_it_is_valid_and_every_licence_is_known(self):
        done = run(SETTINGS.root / "scripts/sbom", "--check", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.told, "")

    def test_it_has_what_is_linked_compiled_in_and_bundled(self):
        # Their names end in a number that the next Debian raises.
        linked = [re.sub(r"\d+$", "", each) for each in self.related("DYNAMIC_LINK")]
        for name in ("libzip", "libfmt", "libstdc++", "libc"):
            self.assertIn(name, linked)
        for name in ("libeigen3-dev", "libcli11-dev", "nlohmann-json3-dev", "librandom123-dev", "libhwy-dev"):
            self.assertIn(name, self.related("STATIC_LINK"))
        scripts = {(each["name"], each["versionInfo"]): each["licenseDeclared"] for each in self.document["packages"]
                   if each["SPDXID"].startswith("SPDXRef-npm-")}
        self.assertEqual(scripts, bundled())

    def test_the_versions_of_debian_packages_are_those_installed(self):
        for each in self.document["packages"]:
            if each["SPDXID"].startswith("SPDXRef-deb-"):
                installed = run("dpkg-query", "--show", "--showformat", "${Version} ", each["name"]).stdout.split()
                self.assertIn(each["versionInfo"], installed)

    def test_the_check_finds_what_is_wrong(self):
        sys.path.insert(0, str(SETTINGS.root / "scripts"))
        import sbom_check

        def broken(change):
            document = copy.deepcopy(self.document)
            change(document)
            return document

        changes = {
            "version": lambda d: d.update(spdxVersion="SPDX-2.2"),
            "namespace": lambda d: d.update(documentNamespace="giga"),
            "date": lambda d: d["creationInfo"].update(created="yesterday"),
            "licence": lambda d: d["packages"][1].update(licenseDeclared="Expat"),
            "checksum": lambda d: d["files"][0]["checksums"][0].update(checksumValue="0"),
            "another file": lambda d: d["files"][0]["checksums"][0].update(checksumValue="0" * 40),
            "twice": lambda d: d["packages"].append(d["packages"][1]),
            "identifier": lambda d: d["packages"][1].update(SPDXID="SPDXRef-a b"),
            "nowhere": lambda d: d["relationships"][0].update(relatedSpdxElement="SPDXRef-none"),
            "kind": lambda d: d["relationships"][0].update(relationshipType="LIKES"),
            "lonely": lambda d: d.update(relationships=d["relationships"][:1]),
            "purl": lambda d: d["packages"][1]["externalRefs"][0].update(referenceLocator="libzip"),
            "place": lambda d: d["packages"][1].pop("downloadLocation"),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.assertNotEqual(sbom_check.faults(broken(change)), [])

    def test_the_check_compares_with_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            copied = pathlib.Path(folder) / SETTINGS.giga.relative_to(SETTINGS.build)
            copied.parent.mkdir(parents=True)
            shutil.copy(SETTINGS.giga, copied)
            check = (SETTINGS.root / "scripts/sbom", "--check", "--root", folder, self.path)
            self.assertEqual(run(*check).returncode, 0)
            with open(copied, "ab") as file:
                file.write(b"\0")
            done = run(*check)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is another file", done.stderr)


class Dist(unittest.TestCase):
    def test_two_tarballs_have_the_same_bytes(self):
        if run("git", "-C", SETTINGS.root, "rev-parse", "--git-dir").returncode:
            self.skipTest("not a clone of the repository")
        made = []
        for zone, mask in (("UTC", 0o022), ("Pacific/Chatham", 0o002)):
            with tempfile.TemporaryDirectory() as folder:
                done = run(SETTINGS.root / "scripts/dist", folder, env=dict(os.environ, TZ=zone), umask=mask)
                self.assertEqual(done.returncode, 0, done.stderr)
                made += [path.read_bytes() for path in pathlib.Path(folder).iterdir()]
        self.assertEqual(len(made), 2)
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("root", "build", "giga"):
        parser.add_argument("--" + option, type=pathlib.Path, required=True)
    parser.add_argument("--generator", required=True)
    SETTINGS = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
