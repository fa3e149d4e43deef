#!/bin/sh
# Makes .venv and installs into it: `venv.sh run` what serving needs, `venv.sh dev` what tests and linters need too.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-run}
stamp=.venv/.installed-$kind
# The interpreter may be named by its caller: make run PYTHON=python3.13
python=${PYTHON:-python3}

if [ -e "$stamp" ] && [ "$stamp" -nt pyproject.toml ] && .venv/bin/python -c '' 2>/dev/null; then exit 0; fi

if ! command -v "$python" >/dev/null 2>&1; then
    echo "memroute needs Python 3.11 or newer, and '$python' was not found: install it, or name one: make run PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "memroute needs Python 3.11 or newer; $("$python" --version 2>&1) is too old. Name a newer one: make run PYTHON=python3.12" >&2
    exit 1
fi
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    echo "This Python has no venv module: install it (Debian, Ubuntu: apt install python3-venv) and try again." >&2
    exit 1
fi

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Making the virtual environment .venv …" >&2
    rm -rf .venv
    "$python" -m venv .venv
fi
echo "Installing (once) …" >&2
# Dependency groups need pip 25.1.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
if [ "$kind" = dev ]; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
else
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable .
fi
touch "$stamp"
