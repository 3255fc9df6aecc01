"""setuptools as the machine has it, for pip: an isolated build would otherwise have to download it.

pip hides what is installed from a build and installs what pyproject.toml requires, over the network. giga requires
nothing there; this backend looks where setuptools is and goes on with it.
"""

import glob
import site
import sys
import sysconfig


def _find_setuptools():
    try:
        import setuptools, wheel  # noqa: E401,F401
        return
    except ImportError:
        pass
    folders = [*site.getsitepackages(), sysconfig.get_paths()["purelib"], "/usr/lib/python3/dist-packages",
               *glob.glob(f"{sys.base_prefix}/lib/python3*/site-packages")]
    for package in ("setuptools", "wheel"):
        found = [folder for folder in folders if glob.glob(f"{folder}/{package}/__init__.py")]
        if not found:
            raise ImportError(f"{package} is missing; install it with: apt-get install python3-{package}")
        if found[0] not in sys.path:
            sys.path.append(found[0])


_find_setuptools()
from setuptools.build_meta import *  # noqa: E402,F401,F403


def get_requires_for_build_wheel(config_settings=None):
    """Nothing to install: wheel is beside setuptools."""
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel
