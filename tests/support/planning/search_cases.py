"""Random sharings of a few inputs with the situation they are planned in, for properties of the search."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from hypothesis import strategies as st

from headwater.algebra.expressions.tree import Column, Literal, call
from headwater.model import Prices, Site
from headwater.planning.cost.operators import OPERATORS
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.relations.relations import Input, Relation, Sharing
from support.cases import law

SITES = ("m1", "m2", "m3")
RANDOM = law(15)


@st.composite
def cases(draw: st.DrawFn, inputs: int = 3, limited: bool = False) -> tuple[Sharing, Situation]:
    """A chain or a star or a triangle of inputs, anywhere, of any size, on sites of any price and speed."""
    names = [f"r{at}" for at in range(inputs)]
    numbers = st.floats(0.1, 10.0)
    facts = {
        name: Facts(draw(st.sampled_from((1e3, 1e5, 1e7))), draw(st.sampled_from((1.0, 100.0, 5e3))))
        for name in names
    }
    shape = draw(st.sampled_from(("chain", "star", "class", "cross")))
    columns = {
        "chain": [(f"r{at}.c{at}", f"r{at + 1}.c{at}") for at in range(inputs - 1)],
        "star": [(f"r0.c{at}", f"r{at}.c{at}") for at in range(1, inputs)],
        "class": [tuple(f"{name}.c" for name in names)],
        "cross": [("r0.c", "r1.c")],
    }[shape]
    filters = (call("gt", Column("r1.x"), Literal(1, "1")),) if draw(st.booleans()) else ()
    core = Relation(
        tuple(Input(name, name, filters if name == "r1" else ()) for name in names), tuple(sorted(columns))
    )
    sites = {
        name: Site(
            name,
            cores=draw(st.sampled_from((None, 0.02, 0.1, 1.0))) if limited else None,
            gb=draw(st.sampled_from((None, 1e-3, 1.0))) if limited else None,
            prices=Prices(*(Decimal(str(round(draw(numbers) * price, 6))) for price in (0.17, 0.01, 0.11))),
        )
        for name in SITES
    }
    speeds = {name: draw(numbers) for name in SITES}
    homes = {name: draw(st.sampled_from(SITES)) for name in names}
    situation = Situation(
        sites,
        facts,
        homes,
        replace(OPERATORS, speeds=speeds),
        delays={"r0": draw(st.sampled_from((0.0, 2.0)))},
    )
    freshness = timedelta(seconds=draw(st.sampled_from((5.0, 45.0, 600.0))))
    tail = draw(st.sampled_from(("", "aggregate", "window")))
    return Sharing("V", core, draw(st.sampled_from(SITES)), freshness, tail=tail), situation
