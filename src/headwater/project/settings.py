"""headwater.yml: where a project runs and what it costs.  Only `name` is required.

    name: shop
    storage: ./warehouse
    durability: full
    store: postgres://user:${PASSWORD}@host/database
    spark: {master: "local[*]", config: {}}
    freshness: 1 minute
    sites: {plango: {storage: ./plango, spark: "sc://host:15002", capacity: {cores: 4, gb: 100}, prices: {}}}
    prices: {core_hour: 0.17, gb_transfer: 0.01, gb_month: 0.11}
    expect: {user_events: {rows: 1000000, rate: 50}}
    retention: {history: 7 days, audit: 90 days, dead_letters: 30 days, reads: 1 hour}
    overload: {updates_per_second: 2000, probes_per_second: 5000, join_policy: optimal}
    weave: {optimizer: best, objective: total}
    replan: auto                    # or manual: only `run --replan` takes a new plan

Values of `spark` may refer to secrets: ${NAME}, and <name>_file in `config` (secrets.py).
Paths are relative to the project's folder.  A site without a spark uses the project's; without storage it
gets a folder in the project's; its prices are the project's where it names none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from headwater.errors import InputError, Place
from headwater.model import Durability, Expectation, Overload, Prices, Retention, Site, Weaving
from headwater.project.addresses import refuse_address
from headwater.project.retention import read_retention
from headwater.project.weaving import one_of, read_weaving
from headwater.project.yaml_file import Value, read_yaml
from headwater.sql.ddl.statements import DEFAULT_FRESHNESS
from headwater.sql.parsing.intervals import duration

__all__ = ["Settings", "read_settings"]

KEYS = ("name", "storage", "durability", "spark", "freshness", "sites", "prices", "expect", "retention",
        "store", "overload", "weave", "replan")  # fmt: skip
_RATES = ("updates_per_second", "probes_per_second")
JOIN_POLICIES = (
    "optimal", "jaqpot", "grepp", "equal", "global-ratio", "equal-best", "selectivity-best",
)  # fmt: skip
_MASTER = re.compile(
    r"local(\[([1-9]\d*|\*)(,\s*\d+)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
    r"|yarn|(spark|k8s|sc)://\S+"
)
UNUSED = ()  # keys of earlier versions that nothing reads: they are warned of and ignored


@dataclass(frozen=True, slots=True)
class Settings:
    """headwater.yml, read and filled in."""

    name: str
    storage: str
    spark_master: str = field(default="local[*]", repr=False)  # may hold a token
    spark_config: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold secrets
    freshness: timedelta = DEFAULT_FRESHNESS
    prices: Prices = Prices()
    sites: Mapping[str, Site] = field(default_factory=dict)
    expect: Mapping[str, tuple[Expectation, Place]] = field(default_factory=dict)
    durability: Durability = Durability.FULL
    store: str = field(default="", repr=False)  # may hold a password
    retention: Retention = Retention()
    overload: Overload = Overload()
    weaving: Weaving = Weaving()
    replans: bool = False


def read_settings(text: str, path: str, folder: Path) -> Settings:
    """The file's settings; `folder` is what relative paths start from."""
    top = read_yaml(text, path)
    given = top.fields(KEYS, UNUSED)
    if "name" not in given:
        raise InputError(
            "HW208", "headwater.yml has no name", place=Place(path, 1, 1), hint="write name: shop"
        )
    settings = Settings(
        name=given["name"].text(),
        storage=_storage(given["storage"], folder) if "storage" in given else str(folder / "warehouse"),
        prices=_prices(given["prices"], Prices()) if "prices" in given else Prices(),
        freshness=_freshness(given["freshness"]) if "freshness" in given else DEFAULT_FRESHNESS,
        expect=_expectations(given["expect"]) if "expect" in given else {},
        durability=_durability(given["durability"]) if "durability" in given else Durability.FULL,
        store=_store(given["store"]) if "store" in given else "",
        retention=read_retention(given["retention"]) if "retention" in given else Retention(),
        overload=_overload(given["overload"]) if "overload" in given else Overload(),
        weaving=read_weaving(given["weave"]) if "weave" in given else Weaving(),
        replans="replan" in given and one_of(given, "replan", ("manual", "auto")) == "auto",
    )
    if "spark" in given:
        settings = _with_spark(settings, given["spark"])
    return replace(settings, sites=_sites(given.get("sites"), settings, folder))


def _storage(value: Value, folder: Path) -> str:
    """A folder, made absolute."""
    refuse_address(value.text(), value.title, value.place())
    if "${" in value.text():
        raise value.wrong(f"{value.title} cannot refer to the environment", "write the path out")
    try:
        path = (folder / Path(value.text()).expanduser()).absolute()
    except RuntimeError:  # ~ where there is no HOME, or ~nobody
        raise value.wrong(f"{value.title}: there is no home folder {value.text()}", "write it out") from None
    if any(part.is_file() for part in (path, *path.parents)):
        raise value.wrong(f"{value.title} must be a folder, not a file", "name a folder, there or to be made")
    return str(path)


def _overload(value: Value) -> Overload:
    """Budgets set by hand."""
    given = value.fields(("updates_per_second", "probes_per_second", "join_policy"))
    updates, probes = (_rate(given[name]) if name in given else None for name in _RATES)
    overload = Overload(updates, probes)
    if "join_policy" not in given:
        return overload
    return replace(overload, join_policy=given["join_policy"].word(JOIN_POLICIES))


def _rate(value: Value) -> float:
    return float(value.positive_number())


def _freshness(value: Value) -> timedelta:
    try:
        return duration(value.scalar())
    except ValueError as error:
        raise value.wrong(str(error), "write freshness: 10 seconds") from None


def _durability(value: Value) -> Durability:
    return Durability(value.word([each.value for each in Durability]))


def _store(value: Value) -> str:
    """Where queries are answered from: a PostgreSQL database; SQLite in the warehouse is the default."""
    text = value.text()
    if text.lower() == "sqlite":
        return ""
    if not text.startswith(("postgres://", "postgresql://")):
        hint = "write store: postgres://user:${PASSWORD}@host/database, or leave it out for SQLite"
        raise value.wrong(f'{value.title} cannot be "{text}"', hint)
    return text


def _with_spark(settings: Settings, value: Value) -> Settings:
    """A mapping, or the master alone."""
    if value.is_text:
        return replace(settings, spark_master=_master(value))
    given = value.fields(("master", "config"))
    master = _master(given["master"]) if "master" in given else settings.spark_master
    config = (
        {key.text(): setting.scalar() for key, setting in given["config"].entries()}
        if "config" in given
        else {}
    )
    return replace(settings, spark_master=master, spark_config=config)


def _master(value: Value) -> str:
    """The address of a Spark, as Spark itself writes it."""
    text = value.text()
    if not _MASTER.fullmatch(text):
        hint = (
            'write "local[*]" (all cores), "local[4]", sc://host:15002 (Spark Connect) or spark://host:7077'
        )
        raise value.wrong(f'{value.title} cannot be "{text}"', hint)
    return text


def _prices(value: Value, base: Prices) -> Prices:
    given: dict[str, Decimal] = {
        name: price.number() for name, price in value.fields(("core_hour", "gb_transfer", "gb_month")).items()
    }
    return replace(base, **given)


def _expectations(value: Value) -> dict[str, tuple[Expectation, Place]]:
    expectations: dict[str, tuple[Expectation, Place]] = {}
    seen: set[str] = set()
    for key, table in value.entries():
        if key.text().lower() in seen:
            raise key.wrong(f'the table "{key.text()}" is given twice', "keep one of them", code="HW214")
        seen.add(key.text().lower())
        given = table.fields(("rows", "rate", "values"))
        rows = given["rows"].whole_number() if "rows" in given else None
        rate = float(given["rate"].number()) if "rate" in given else None
        counted = given["values"].entries() if "values" in given else ()
        values = tuple((column.text(), count.whole_number()) for column, count in counted)
        expectations[key.text()] = Expectation(rows, rate, values), key.place()
    return expectations


def _sites(value: Value | None, settings: Settings, folder: Path) -> dict[str, Site]:
    """The sites by name, always with "default"."""
    default = Site("default", settings.storage, settings.spark_master, prices=settings.prices)
    sites = {"default": default}
    seen: set[str] = set()
    for key, site in value.entries() if value is not None else ():
        name = _site_name(key)
        if name.lower() in seen:
            raise key.wrong(f'the site "{name}" is declared twice', "rename one of them", code="HW214")
        seen.add(name.lower())
        home = sites.get(name) or replace(default, name=name, storage=f"{settings.storage}/_sites/{name}")
        sites[name] = _site(site, home, folder)
    return sites


def _site_name(key: Value) -> str:
    name = key.text()
    if not re.fullmatch(r"[^\W_][\w-]{0,63}", name):
        raise key.wrong(f'"{name}" cannot name a site', "use letters, digits, - and _, at most 64 in all")
    return "default" if name.lower() == "default" else name


def _site(value: Value, base: Site, folder: Path) -> Site:
    given = value.fields(("storage", "spark", "capacity", "prices"))
    capacity = given["capacity"].fields(("cores", "gb")) if "capacity" in given else {}
    return replace(
        base,
        storage=_storage(given["storage"], folder) if "storage" in given else base.storage,
        spark=_master(given["spark"]) if "spark" in given else base.spark,
        cores=float(capacity["cores"].positive_number()) if "cores" in capacity else None,
        gb=float(capacity["gb"].positive_number()) if "gb" in capacity else None,
        prices=_prices(given["prices"], base.prices) if "prices" in given else base.prices,
    )
