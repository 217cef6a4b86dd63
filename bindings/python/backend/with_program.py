"""The build backend of the package: maturin's, with the program `balk` among the scripts of the wheel.

maturin builds an extension module or a program, and this package has both. The program is built first, by the cargo
that is in `PATH`, and maturin takes it from the folder that `tool.maturin.data` names.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[3]
PROFILE = "long"
"""Fast code that is fast to build."""
SCRIPTS = ROOT / "target/python/balk.data/scripts"
# maturin wants the folder to be there for everything that it is asked.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds the wheel: the extension module, the program, and the Python files."""
    _build_program()
    return maturin.build_wheel(directory, settings, metadata)


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds a wheel that takes the Python files from the checkout."""
    _build_program()
    return maturin.build_editable(directory, settings, metadata)


def build_sdist(directory: str, settings: Any = None) -> str:
    """Packs the files of the checkout that git knows: the crates of the program are all needed to build it."""
    with tempfile.TemporaryDirectory() as folder:
        info = maturin.prepare_metadata_for_build_wheel(folder, settings)
        metadata = Path(folder, info, "METADATA").read_bytes()
    name = info.removesuffix(".dist-info")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tarfile.open(Path(directory, f"{name}.tar.gz"), "w:gz") as archive:
        for file in filter(None, files.split("\0")):
            archive.add(ROOT / file, f"{name}/{file}")
        about = tarfile.TarInfo(f"{name}/PKG-INFO")
        about.size = len(metadata)
        archive.addfile(about, io.BytesIO(metadata))
    return f"{name}.tar.gz"


def _build_program() -> None:
    if shutil.which("cargo") is None:
        raise RuntimeError("expected cargo in PATH, to build the program: install Rust from https://rustup.rs")
    # The extension module is a workspace of its own, and shares the folder.
    target = Path(os.environ.setdefault("CARGO_TARGET_DIR", str(ROOT / "target")))
    cargo = ["cargo", "build", "--locked", "--profile", PROFILE, "--package", "balk", "--bin", "balk"]
    subprocess.run(cargo, cwd=ROOT, check=True)
    name = "balk.exe" if sys.platform == "win32" else "balk"
    shutil.copy2(target / PROFILE / name, SCRIPTS / name)
