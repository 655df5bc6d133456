"""The keys of a project, in keys.json in its warehouse: readable by its owner alone, whatever the folder is.

Servers look at it before every request (one stat), so that a key counts, or no longer counts, at once.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from headwater.errors import InputError
from headwater.serve.access.keys import Key, Rights, Role, id_of, new_key
from headwater.storage.permissions import make_root
from headwater.storage.replace_text import replace_text

__all__ = ["KeyFile", "add_key", "read_keys", "revoke_key"]

FILE = "keys.json"
OWNER_ONLY = 0o600


def read_keys(root: str) -> tuple[Key, ...]:
    """All keys of a project, revoked ones too, oldest first."""
    try:
        with open(_path(root), encoding="utf-8") as file:
            return tuple(map(_key, json.load(file)["keys"]))
    except FileNotFoundError:
        return ()
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            "HW975",
            f"{_path(root)} cannot be read: {error}",
            hint="Restore it from a backup; or delete it, and make the keys anew.",
        ) from None


def add_key(root: str, name: str, rights: Rights, now: int) -> tuple[Key, str]:
    """Make and store a key; returns it with the token to send, which is stored nowhere."""
    key, token = new_key(name, rights, now)

    def added(keys: tuple[Key, ...]) -> tuple[Key, ...]:
        if any(known.name == name and known.revoked_at is None for known in keys):
            raise InputError(
                "HW973", f'there is a key "{name}" already', hint="Revoke it first, or choose another name."
            )
        return (*keys, key)

    _change(root, added)
    return key, token


def revoke_key(root: str, name: str, now: int) -> Key:
    """Revoke a key: from now on it is refused."""
    revoked: list[Key] = []

    def without(keys: tuple[Key, ...]) -> tuple[Key, ...]:
        revoked.extend(
            replace(key, revoked_at=now) for key in keys if key.name == name and key.revoked_at is None
        )
        if not revoked:
            valid = ", ".join(key.name for key in keys if key.revoked_at is None) or "none"
            raise InputError("HW973", f'there is no key "{name}"', hint=f"There are: {valid}.")
        ids = {key.id: key for key in revoked}
        return tuple(ids.get(key.id, key) for key in keys)

    _change(root, without)
    return revoked[0]


@dataclass(slots=True)
class KeyFile:
    """The keys as a server sees them: read again whenever the file changes."""

    root: str
    _seen: object = None
    _keys: Mapping[str, Key] | None = None

    def keys(self) -> Mapping[str, Key]:
        """The keys by id, without those that were revoked."""
        seen = self._stamp()
        if self._keys is None or seen != self._seen:
            self._keys = {key.id: key for key in read_keys(self.root) if key.revoked_at is None}
            self._seen = seen
        return self._keys

    def bearer(self, token: str) -> Key | None:
        """The key that a token is."""
        key = self.keys().get(id_of(token))
        return key if key is not None and key.proves(token) else None

    def closed(self) -> bool:
        """Whether somebody needs a key: there is, or once was, one."""
        return self._stamp() is not None

    def _stamp(self) -> object:
        try:
            state = os.stat(_path(self.root))
        except FileNotFoundError:
            return None
        return state.st_mtime_ns, state.st_ino, state.st_size


def _path(root: str) -> str:
    return os.path.join(root, FILE)


def _change(root: str, change: Callable[[tuple[Key, ...]], tuple[Key, ...]]) -> None:
    make_root(root)
    with _alone(root):
        keys = change(read_keys(root))
        umask = os.umask(0o777 & ~OWNER_ONLY)
        try:
            replace_text(_path(root), json.dumps({"keys": [_fields(key) for key in keys]}, indent=1))
        finally:
            os.umask(umask)


@contextmanager
def _alone(root: str) -> Iterator[None]:
    """One change at a time, also of several processes."""
    with open(_path(root) + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fields(key: Key) -> dict[str, Any]:
    return asdict(key) | {"rights": asdict(key.rights) | {"role": key.rights.role.value}}


def _key(fields: Mapping[str, Any]) -> Key:
    rights = fields["rights"]
    limits = {name: None if rights[name] is None else tuple(rights[name]) for name in ("views", "queries")}
    return Key(**{**fields, "rights": Rights(Role(rights["role"]), **limits)})
