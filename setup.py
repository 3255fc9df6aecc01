"""Builds the extension of the Python package by CMake; pyproject.toml has the rest."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    """That of the library, which CMakeLists.txt says."""
    return re.search(r"project\(giga VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text("utf-8")).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve()
        build.mkdir(parents=True, exist_ok=True)
        configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DGIGA_BUILD_PYTHON=ON",
                     "-DGIGA_BUILD_TESTS=OFF", "-DGIGA_BUILD_BENCHMARKS=OFF", "-DGIGA_BUILD_EXAMPLES=OFF", "-DGIGA_MPI=OFF",
                     "-DGIGA_PRECOMPILE_HEADERS=ON", "-DGIGA_UNITE_SOURCES=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        if shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        subprocess.run(configure + os.environ.get("GIGA_CMAKE_ARGS", "").split(), check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(len(os.sched_getaffinity(0)))
        subprocess.run(["cmake", "--build", str(build), "--target", "_giga", "--parallel", jobs], check=True)
        made = next((build / "python" / "giga").glob("_giga.*.so"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, target)


setup(
    version=version(),
    packages=["giga"],
    package_dir={"": "python"},
    package_data={"giga": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("giga._giga", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    zip_safe=False,
)
