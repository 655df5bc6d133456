"""API keys: a secret that says who asks, and what the bearer may see.

    hw_<id>_<secret>      the id finds the key, the secret proves it

Roles include each other: `look` sees how the project is doing (staleness, plan, bill, metrics), `query` also
reads rows of views and answers of queries, `change` also changes the project.  A key may be for some views
and queries only.

The secret is 256 random bits, shown once.  What is stored is its SHA-256 with a salt: a slow hash protects
secrets that people choose, and would only slow down every request here.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from enum import Enum

__all__ = ["ANYBODY", "Key", "Rights", "Role", "id_of", "new_key"]

PREFIX = "hw"


class Role(Enum):
    LOOK = "look"
    QUERY = "query"
    CHANGE = "change"

    def includes(self, other: Role) -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class Rights:
    """What a caller may do. None: all of them."""

    role: Role
    views: tuple[str, ...] | None = None
    queries: tuple[str, ...] | None = None

    @property
    def limited(self) -> bool:
        return self.views is not None or self.queries is not None

    def may_read(self, view: str) -> bool:
        return self.role.includes(Role.QUERY) and _among(view, self.views)

    def may_ask(self, query: str) -> bool:
        return self.role.includes(Role.QUERY) and _among(query, self.queries)


ANYBODY = Rights(Role.CHANGE)  # who reaches a server on loopback of a project without keys


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is stored: it cannot be made from this."""

    id: str
    name: str
    salt: str
    digest: str
    rights: Rights
    created_at: int
    revoked_at: int | None = None

    def proves(self, token: str) -> bool:
        """Whether a token is this key, and still counts."""
        return self.revoked_at is None and hmac.compare_digest(_digest(self.salt, token), self.digest)


def new_key(name: str, rights: Rights, now: int) -> tuple[Key, str]:
    """A new key, and the token that its bearer sends: it can never be shown again."""
    identity, salt = secrets.token_hex(6), secrets.token_hex(16)
    token = f"{PREFIX}_{identity}_{secrets.token_urlsafe(32)}"
    return Key(identity, name, salt, _digest(salt, token), rights, now), token


def id_of(token: str) -> str:
    """The id of the key that a token claims to be; "" if it looks like none."""
    parts = token.split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == PREFIX else ""


def _digest(salt: str, token: str) -> str:
    return hashlib.sha256(f"{salt}{token}".encode(errors="replace")).hexdigest()


def _among(name: str, names: tuple[str, ...] | None) -> bool:
    return names is None or name.lower() in {known.lower() for known in names}
