"""Where the program `balk` is."""

import os
import shutil
import sysconfig
from pathlib import Path


def binary() -> str:
    """The path of the program: that of this package, else the one in `PATH`.

    Raises FileNotFoundError, which says what to do, if there is none.
    """
    name = "balk.exe" if os.name == "nt" else "balk"
    # A package of a user is in another place than one of the whole interpreter.
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        program = Path(sysconfig.get_path("scripts", scheme), name)
        if program.is_file():
            return str(program)
    found = shutil.which("balk")
    if found is None:
        scripts = sysconfig.get_path("scripts")
        raise FileNotFoundError(
            f"expected the program balk in {scripts} or in PATH, found it in neither: install the package again "
            "(`pip install PATH-TO-CHECKOUT`), or the program alone (`cargo install --path harness --locked`)"
        )
    return found
