"""Errors tell the person who must act what is wrong, where, why and what to do.

Every error is data first (fields that `--json` and the Python API show) and text second (`str(error)`, which
the command line prints).  What each code means in general, its cause and its remedy, stands once in `codes/`;
an error's own message, detail and hint say what is wrong in this case.  Secrets are in none of them
(redaction.py; secrets.py says what counts as one).
"""

from headwater.errors.error import HeadwaterError, InputError, InternalError, RefusedError, brief, trace
from headwater.errors.place import Place
from headwater.errors.redaction import redact
from headwater.errors.suggestions import did_you_mean, shown_folder

__all__ = [
    "HeadwaterError",
    "InputError",
    "InternalError",
    "Place",
    "RefusedError",
    "brief",
    "did_you_mean",
    "redact",
    "shown_folder",
    "trace",
]
