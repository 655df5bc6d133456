#!/usr/bin/env bash
# Creates the virtual environment with the pinned packages. Usage: setup.sh PYTHON VENV
set -euo pipefail
python=$1 venv=$2
command -v "$python" >/dev/null 2>&1 || python=python3
"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || {
  echo "Headwater needs Python 3.11 to 3.13; '$python' is not. Install it, or say: make PYTHON=/path/to/python3.11 setup" >&2
  exit 2
}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "Installing pinned packages into $venv ..."
"$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.lock
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -e .
