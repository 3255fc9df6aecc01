"""Whether a document is one of SPDX 2.3: the fields that the specification demands, in its forms, and nothing that
points to what is not there. scripts/sbom asks it before it writes, and for --check."""

import hashlib
import json
import pathlib
import re
import sys

LICENCES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only",
            "GPL-3.0-or-later", "ISC", "LGPL-2.1-only", "LGPL-2.1-or-later", "MIT", "MPL-2.0", "PSF-2.0", "Zlib", "mpich2"}
EXCEPTIONS = {"GCC-exception-3.1", "Linux-syscall-note"}
RELATIONS = {"DESCRIBES", "CONTAINS", "DEPENDS_ON", "STATIC_LINK", "DYNAMIC_LINK", "BUILD_DEPENDENCY_OF", "BUILD_TOOL_OF"}
DIGITS = {"SHA1": 40, "SHA256": 64, "SHA384": 96, "SHA512": 128}
FILE_TYPES = {"BINARY", "OTHER", "SOURCE", "TEXT", "DOCUMENTATION", "ARCHIVE"}
SPDX_ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
PURL = re.compile(r"pkg:[a-z]+/[A-Za-z0-9.%_/+-]+@[A-Za-z0-9.%_~+-]+(\?[a-z]+=[a-z0-9-]+)?")


def is_licence(text):
    """NONE, NOASSERTION, or an expression of known names with AND, OR, WITH."""
    if text in ("NONE", "NOASSERTION"):
        return True
    if not isinstance(text, str):
        return False
    for term in re.split(r" (?:AND|OR) ", text):
        name, *exception = term.split(" WITH ")
        if name not in LICENCES or len(exception) > 1 or any(each not in EXCEPTIONS for each in exception):
            return False
    return True


def checksum_faults(what, checksums):
    for each in checksums:
        algorithm, value = each.get("algorithm"), each.get("checksumValue", "")
        if algorithm not in DIGITS or not re.fullmatch(r"[0-9a-f]{%d}" % DIGITS[algorithm], value):
            yield f"{what}: {algorithm} {value!r} is no checksum"


def head_faults(document):
    fixed = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT"}
    for field, value in fixed.items():
        if document.get(field) != value:
            yield f"{field} is {document.get(field)!r}, not {value!r}"
    if not document.get("name"):
        yield "name is missing"
    if not re.fullmatch(r"[a-z][a-z0-9+.-]*:[^#\s]+", str(document.get("documentNamespace", ""))):
        yield "documentNamespace is no URI, or has a '#'"
    creation = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(creation.get("created", ""))):
        yield "creationInfo: created is no time in UTC"
    creators = creation.get("creators", [])
    if not creators or not all(re.match(r"(Tool|Person|Organization): \S", each) for each in creators):
        yield "creationInfo: creators must name tools, persons or organizations"


def package_faults(package):
    name = package.get("name", "a package")
    for field in ("name", "SPDXID", "downloadLocation"):
        if not package.get(field):
            yield f"{name}: {field} is missing"
    for field in ("licenseConcluded", "licenseDeclared"):
        if field in package and not is_licence(package[field]):
            yield f"{name}: {field} {package[field]!r} is no expression of known licences"
    yield from checksum_faults(name, package.get("checksums", []))
    code = package.get("packageVerificationCode", {}).get("packageVerificationCodeValue", "")
    if package.get("filesAnalyzed", True) != bool(re.fullmatch(r"[0-9a-f]{40}", code)):
        yield f"{name}: a verification code goes with filesAnalyzed, and only with it"
    for reference in package.get("externalRefs", []):
        if reference.get("referenceType") != "purl" or reference.get("referenceCategory") != "PACKAGE-MANAGER" \
                or not PURL.fullmatch(reference.get("referenceLocator", "")):
            yield f"{name}: {reference} is no package URL"


def file_faults(file):
    name = file.get("fileName", "")
    if not name.startswith("./"):
        yield f"{name!r}: the name of a file begins with ./"
    if "SHA1" not in [each.get("algorithm") for each in file.get("checksums", [])]:
        yield f"{name}: has no SHA1"
    if not set(file.get("fileTypes", [])) <= FILE_TYPES:
        yield f"{name}: {file['fileTypes']} are not types of files"
    if not is_licence(file.get("licenseConcluded", "NOASSERTION")):
        yield f"{name}: licenseConcluded is no expression of known licences"
    yield from checksum_faults(name, file.get("checksums", []))


def relation_faults(document, identifiers):
    described = []
    for each in document.get("relationships", []):
        one, kind, other = (each.get(field) for field in ("spdxElementId", "relationshipType", "relatedSpdxElement"))
        if kind not in RELATIONS:
            yield f"{kind!r} is no relationship that is used here"
        for end in (one, other):
            if end not in identifiers:
                yield f"{one} {kind} {other}: there is no {end}"
        if (one, kind) == ("SPDXRef-DOCUMENT", "DESCRIBES"):
            described.append(other)
    if not described:
        yield "the document describes nothing"
    for package in document.get("packages", []):
        if not any(package.get("SPDXID") in (each.get("spdxElementId"), each.get("relatedSpdxElement"))
                   for each in document.get("relationships", [])):
            yield f"{package.get('name')}: is related to nothing"


def verification_faults(document):
    """The code of a package is that of the SHA1 of its files, sorted."""
    sha1 = {file["SPDXID"]: each["checksumValue"] for file in document.get("files", [])
            for each in file.get("checksums", []) if each.get("algorithm") == "SHA1"}
    for package in document.get("packages", []):
        if package.get("filesAnalyzed", True):
            digests = sorted(sha1[each["relatedSpdxElement"]] for each in document["relationships"]
                             if each["spdxElementId"] == package["SPDXID"] and each["relationshipType"] == "CONTAINS"
                             and each["relatedSpdxElement"] in sha1)
            code = package.get("packageVerificationCode", {}).get("packageVerificationCodeValue")
            if hashlib.sha1("".join(digests).encode()).hexdigest() != code:
                yield f"{package.get('name')}: the verification code is not that of its files"


def faults(document):
    """What is wrong with a document, as a list of sentences."""
    if not isinstance(document, dict):
        return ["is no object"]
    found = list(head_faults(document))
    elements = document.get("packages", []) + document.get("files", [])
    identifiers = [each.get("SPDXID", "") for each in elements] + ["SPDXRef-DOCUMENT"]
    found += [f"{each!r} is no identifier" for each in identifiers if not SPDX_ID.fullmatch(each)]
    found += [f"{each}: is there twice" for each in sorted(set(identifiers)) if identifiers.count(each) > 1]
    for package in document.get("packages", []):
        found += package_faults(package)
    for file in document.get("files", []):
        found += file_faults(file)
    found += relation_faults(document, set(identifiers))
    return found or list(verification_faults(document))


def tree_faults(document, root, own):
    """Whether the files are those below root, to the byte. The document itself is not among them."""
    listed = {}
    for file in document.get("files", []):
        listed[file["fileName"]] = {each["algorithm"]: each["checksumValue"] for each in file["checksums"]}
    present = {"./" + path.relative_to(root).as_posix(): path for path in root.rglob("*")
               if path.is_file() and not path.is_symlink() and path.relative_to(root).parts[0] != "DEBIAN"}
    excluded = {each for package in document.get("packages", [])
                for each in package.get("packageVerificationCode", {}).get("packageVerificationCodeExcludedFiles", [])}
    for name in sorted(listed.keys() | present.keys()):
        if name not in present:
            yield f"{name}: is not below {root}"
        elif name not in listed:
            if name not in excluded and present[name] != own:
                yield f"{name}: is not in the document"
        elif hashlib.sha256(present[name].read_bytes()).hexdigest() != listed[name].get("SHA256"):
            yield f"{name}: is another file than that of the document"


def check_files(paths, root=None):
    """Tells the faults of documents; the exit code."""
    wrong = 0
    for path in map(pathlib.Path, paths):
        try:
            document = json.loads(path.read_text("utf-8"))
            found = faults(document)
            if root and not found:
                found = list(tree_faults(document, pathlib.Path(root).resolve(), path.resolve()))
        except (OSError, ValueError) as error:
            document, found = None, [str(error)]
        for each in found:
            print(f"{path}: {each}", file=sys.stderr)
        if not found:
            print(f"{path}: SPDX 2.3, {len(document['packages'])} packages, {len(document['files'])} files, "
                  f"{len(document['relationships'])} relationships")
        wrong += bool(found)
    return 1 if wrong else 0
