"""Real check-ins: a year of New York's Gowalla, mapped to relations like the generated ones and replayed.

    users(uid, name)             users, when they check in for the first time
    socnet(uid, uid2)            friends, when the first of the two checks in
    places(pid, name, lat, lng)  venues, when somebody checks in there for the first time
    checkins(cid, uid, pid)      check-ins, in the order of their time

The data is looked for in the folder $HEADWATER_DATA, else in ../shared/data; it is not part of the project.
The check-ins that exist before the load starts are the oldest ones.  When the recording is over it starts
again, with new check-in numbers; users and places exist by then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from headwater.errors import InputError

__all__ = ["SCHEMAS", "VIEWS", "Gowalla", "check_ins", "read_gowalla", "write_gowalla_project"]

SCHEMAS: Mapping[str, Mapping[str, str]] = {
    "users": {"uid": "BIGINT", "name": "STRING"},
    "socnet": {"uid": "BIGINT", "uid2": "BIGINT"},
    "places": {"pid": "BIGINT", "name": "STRING", "lat": "DOUBLE", "lng": "DOUBLE"},
    "checkins": {"cid": "BIGINT", "uid": "BIGINT", "pid": "BIGINT"},
}
VIEWS = {
    "g01_wherewas": "SELECT c.cid, c.uid, u.name, c.pid FROM checkins c JOIN users u ON u.uid = c.uid",
    "g02_venues": "SELECT c.cid, c.uid, p.pid, p.name AS place, p.lat, p.lng"
    " FROM checkins c JOIN places p ON p.pid = c.pid",
    "g03_visits": "SELECT c.cid, u.uid, u.name, p.pid, p.name AS place, p.lat, p.lng"
    " FROM checkins c JOIN users u ON u.uid = c.uid JOIN places p ON p.pid = c.pid",
    "g04_friends": "SELECT u.uid, u.name, s.uid2 FROM users u JOIN socnet s ON s.uid = u.uid",
    "g05_tips": "SELECT c.cid, s.uid2 AS friend, c.uid, p.name AS place"
    " FROM checkins c JOIN places p ON p.pid = c.pid JOIN socnet s ON s.uid = c.uid",
    "g06_popular": "SELECT c.pid, count(*) AS visits FROM checkins c GROUP BY c.pid",
}


@dataclass(frozen=True, slots=True)
class Gowalla:
    """Check-ins by time, friendships, venues."""

    uids: np.ndarray[Any, np.dtype[np.int64]]
    pids: np.ndarray[Any, np.dtype[np.int64]]
    friends: pa.Table
    places: pa.Table


def read_gowalla() -> Gowalla:
    folder = _folder()
    text = csv.ParseOptions(delimiter="\t", quote_char=False)
    events = csv.read_csv(
        folder / "gowalla_events.csv.gz",
        csv.ReadOptions(column_names=["uid", "at", "lat", "lng", "pid"]),
        text,
        csv.ConvertOptions(column_types={"at": pa.string()}),
    ).sort_by("at")
    venues = csv.read_csv(
        folder / "gowalla_venues.csv", csv.ReadOptions(column_names=["pid", "name", "lat", "lng"]), text
    )
    friends = csv.read_csv(folder / "gowalla_users.nyc.csv", parse_options=text)
    located = events.filter(pc.is_in(events.column("pid"), value_set=venues.column("pid").combine_chunks()))
    first = venues.group_by("pid", use_threads=False).aggregate(
        [("name", "first"), ("lat", "first"), ("lng", "first")]
    )
    places = pa.table(
        {name: first.column(name if name == "pid" else f"{name}_first") for name in SCHEMAS["places"]}
    )
    return Gowalla(
        located.column("uid").to_numpy(), located.column("pid").to_numpy(),
        friends.rename_columns(["uid", "uid2"]), places,
    )  # fmt: skip


def _folder() -> Path:
    given = os.environ.get("HEADWATER_DATA")
    folder = Path(given) if given else Path("../shared/data")
    if not (folder / "gowalla" / "gowalla_events.csv.gz").is_file():
        raise InputError(
            "HW416",
            "the Gowalla check-ins are not there",
            detail=f"Looked for gowalla/gowalla_events.csv.gz in {folder}.",
            hint="Set HEADWATER_DATA to the folder that holds gowalla/, or leave --gowalla out.",
        )
    return folder / "gowalla"


def check_ins(data: Gowalla, batches: Sequence[int], start: int = 0) -> Iterator[dict[str, pa.Table]]:
    """Batches of that many check-ins, with the users, friendships and places that come with them."""
    seen_users = set(data.uids[: min(start, len(data.uids))].tolist())
    seen_places = set(data.pids[: min(start, len(data.pids))].tolist())
    for count in batches:
        numbers = np.arange(start, start + count)
        uids, pids = data.uids[numbers % len(data.uids)], data.pids[numbers % len(data.pids)]
        start += count
        users = _fresh(uids, seen_users)
        yield {
            "users": pa.table(
                {"uid": users, "name": pa.array([f"user {uid}" for uid in users], pa.string())}
            ),
            "places": _matching(data.places, "pid", _fresh(pids, seen_places)),
            "socnet": _matching(data.friends, "uid", users),
            "checkins": pa.table({"cid": numbers + 1, "uid": uids, "pid": pids}),
        }


def _fresh(ids: np.ndarray[Any, np.dtype[np.int64]], seen: set[int]) -> list[int]:
    new = [number for number in dict.fromkeys(ids.tolist()) if number not in seen]
    seen.update(new)
    return new


def _matching(rows: pa.Table, column: str, wanted: Sequence[int]) -> pa.Table:
    return rows.filter(pc.is_in(rows.column(column), value_set=pa.array(wanted, pa.int64())))


def write_gowalla_project(folder: Path, freshness: float) -> None:
    """A project with one site."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headwater.yml").write_text("name: gowalla\nstorage: ./warehouse\n")
    tables = (
        f"CREATE TABLE {table} ({', '.join(f'{name} {kind} NOT NULL' for name, kind in columns.items())});"
        for table, columns in SCHEMAS.items()
    )
    views = (
        f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '{freshness:g}' SECOND"
        f" REFRESH POLICY INCREMENTAL AS\n  {sql};"
        for name, sql in VIEWS.items()
    )
    (folder / "all.sql").write_text("\n".join([*tables, *views]))
