"""CREATE MATERIALIZED VIEW: a SELECT and a promise.

    CREATE [OR REPLACE] MATERIALIZED VIEW name [(column, ...)]
      [FRESHNESS = INTERVAL '10' SECOND] [PENALTY = 0.001] [OWNER = 'team'] [AT SITE name] [ALLOW CROSS JOIN]
      [WINDOW = INTERVAL '10' MINUTE [TOLERANCE (stream = INTERVAL '12' MINUTE, ...)]
        [ON OVERLOAD ADAPT JOINS [OVERLOAD WEIGHT = 3]]] [RETAIN INTERVAL '7' DAY [ON column]]
      [REFRESH POLICY AUTO | INCREMENTAL | INCREMENTAL STRICT | FULL] [[REFRESH] EVERY CHANGE]
      [TBLPROPERTIES (...)] [COMMENT '...']
    AS SELECT ...

Clauses may come in any order, each once.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import cast

from headwater.model import RefreshPolicy, RetainRows, View
from headwater.sql.ddl.clauses import (
    Given,
    Setting,
    read_comment,
    read_flag,
    read_owner,
    read_owner_property,
    read_properties,
    read_site,
    unknown_clause,
)
from headwater.sql.ddl.joins.window import join_window
from headwater.sql.ddl.joins.window_clauses import read_adapt, read_tolerance, read_window
from headwater.sql.ddl.overload import read_overload_weight
from headwater.sql.ddl.retain_rows import read_retain_rows
from headwater.sql.parsing.intervals import read_interval
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import column_name, relation_name
from headwater.sql.parsing.references import Reference, SiteReference
from headwater.sql.parsing.select import read_view_select
from headwater.sql.parsing.words import Words

__all__ = ["read_view"]


def read_view(words: Words, default_freshness: timedelta) -> tuple[View, tuple[Reference, ...]]:
    """What follows CREATE MATERIALIZED VIEW."""
    name = relation_name(words, "view")
    columns = _columns(words)
    given = Given()
    while not words.accept("AS"):
        if words.done:
            raise words.wrong("HW100", f'the view "{name.text}" has no AS SELECT')
        if words.accept("TBLPROPERTIES"):
            read_properties(words, _SETTINGS, given)
        elif not given.accept(words, _SETTINGS):
            raise unknown_clause(
                words, [*(" ".join(setting.clause) for setting in _SETTINGS), "TBLPROPERTIES", "AS"]
            )
    given.check_agreement(words)
    return _build(words, name, columns, given, default_freshness)


def _build(
    words: Words, name: Token, columns: tuple[str, ...], given: Given, default_freshness: timedelta
) -> tuple[View, tuple[Reference, ...]]:
    window = join_window(words, given)
    adapted = window is not None and window.adapt  # then `window` says what it retains
    view = View(
        name=name.text,
        sql=read_view_select(words, f'the view "{name.text}"'),
        freshness=cast(timedelta, given.value("freshness") or default_freshness),
        refresh=cast(RefreshPolicy, given.value("refresh_policy") or RefreshPolicy.AUTO),
        penalty=cast(Decimal, given.value("penalty") or Decimal(0)),
        owner=cast(str, given.value("owner") or ""),
        site=cast(str, given.value("site") or "default"),
        allow_cross_join=given.value("allow_cross_join") is True,
        columns=columns,
        window=window,
        retain=None if adapted else cast(RetainRows | None, given.value("retain")),
        every_change=given.value("every_change") is True,
        place=words.place(name),
    )
    site = given.token("site")
    return view, () if site is None else (SiteReference(view.site, words.place(site)),)


def _columns(words: Words) -> tuple[str, ...]:
    """(a, b COMMENT '...'): names given by hand."""
    if not words.accept("("):
        return ()
    names: list[str] = []
    while True:
        names.append(column_name(words, names).text)
        if words.accept("COMMENT"):
            words.string("a comment")
        if not words.accept(","):
            break
    words.expect(")", after="the view's columns")
    return tuple(names)


def _policy(words: Words) -> RefreshPolicy:
    token = words.peek()
    if words.accept("INCREMENTAL", "STRICT"):
        return RefreshPolicy.INCREMENTAL_STRICT
    policies = [policy.value for policy in RefreshPolicy]
    if token.word not in policies:
        hint = f"the policies are {', '.join(policies)}"
        raise words.wrong("HW111", f"there is no refresh policy {token}", choices=policies, hint=hint)
    return RefreshPolicy(words.next().word)


_SETTINGS = (
    Setting("freshness", ("FRESHNESS",), read_interval, equals=True),
    Setting("penalty", ("PENALTY",), lambda words: words.amount("a penalty"), equals=True),
    Setting("owner", ("OWNER",), read_owner, read_owner_property, equals=True),
    Setting("refresh_policy", ("REFRESH", "POLICY"), _policy, equals=True),
    Setting("window", ("WINDOW",), read_window, equals=True),
    Setting("tolerance", ("TOLERANCE",), read_tolerance, equals=True),
    Setting("on_overload", ("ON", "OVERLOAD"), read_adapt),
    Setting("overload_weight", ("OVERLOAD", "WEIGHT"), read_overload_weight, equals=True),
    Setting("retain", ("RETAIN",), read_retain_rows, equals=True),
    Setting("every_change", ("REFRESH", "EVERY", "CHANGE"), lambda _: True, read_flag),
    Setting(
        "every_change", ("EVERY", "CHANGE"), lambda _: True, read_flag
    ),  # REFRESH POLICY ... EVERY CHANGE
    Setting("site", ("AT", "SITE"), read_site),
    Setting("allow_cross_join", ("ALLOW", "CROSS", "JOIN"), lambda _: True, read_flag),
    Setting("comment", ("COMMENT",), read_comment, equals=True),
)
