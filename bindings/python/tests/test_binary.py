"""Where the program is found."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from balk._binary import binary


def test_the_program_of_the_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts, path = tmp_path / "scripts", tmp_path / "path"
    for folder in (scripts, path):
        folder.mkdir()
        (folder / "balk").write_text("#!/bin/sh\n")
        (folder / "balk").chmod(0o755)
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(scripts))
    monkeypatch.setenv("PATH", str(path))
    assert binary() == str(scripts / "balk")
    (scripts / "balk").unlink()
    assert binary() == str(path / "balk")
    (path / "balk").unlink()
    with pytest.raises(FileNotFoundError, match="pip install PATH-TO-CHECKOUT"):
        binary()
