"""By which names a server may be asked, and which addresses only this machine reaches.

A web page of any site can make a browser send requests to 127.0.0.1.  It cannot read the answers, unless its
own name is made to resolve to 127.0.0.1 (DNS rebinding): then the Host header still has that name, and the
request is refused.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache

__all__ = ["host_of", "is_allowed", "is_loopback"]

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached by this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str:
    """The name in a Host header, without its port, in small letters; "" if it is none."""
    text = header.strip().lower()
    if text.startswith("["):
        name, bracket, _ = text[1:].partition("]")
        return name if bracket else ""
    return text.rsplit(":", 1)[0] if text.count(":") == 1 else text


@lru_cache(maxsize=256)  # asked before every request
def is_allowed(header: str, listening: str, also: tuple[str, ...] = ()) -> bool:
    """Whether a request with this Host header is meant for a server that listens there.

    An address that somebody typed is no name that could be made to point here; so where other machines ask,
    any address will do.
    """
    host = host_of(header)
    if host in LOCAL or host == listening.lower() or host in {name.lower() for name in also}:
        return True
    if is_loopback(listening):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
