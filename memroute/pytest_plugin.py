"""For tests only, named by `-p` in pyproject.toml: gives each test process a data folder of its own.

pytest-django loads the settings before any conftest.py is imported, so this must come earlier. Each xdist worker imports it
and gets its own folder, and with it a database of its own. The variables of the person who runs the tests do not count.
"""

import atexit
import os
import shutil
import tempfile

for _name in [name for name in os.environ if name.startswith(("MEMROUTE_", "MEMORY_"))]:
    del os.environ[_name]
os.environ["MEMROUTE_DATA_DIR"] = _folder = tempfile.mkdtemp(prefix="memroute-tests-")


def _remove(folder: str, owner: int) -> None:
    """Remove the folder, but not from a forked child."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


atexit.register(_remove, _folder, os.getpid())
