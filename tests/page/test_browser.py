"""The page in a real Chromium: every part of it on a kept project, an empty one, a failing one and a large one."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from headwater.api import Headwater
from headwater.storage.notices.under_way import UnderWay
from headwater.storage.notices.verifications import asked, take_up, write_outcome
from headwater.storage.records.run_lock import run_lock
from support.browser import Window, chromium, window
from support.serving import SQL, make_shop, order, push, record, record_failure, served

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=document.title='broken'>"
AXE = Path(__file__).parents[1] / "support" / "axe-4.14.0.min.js.gz"  # npm's axe-core, as it is published
QUERIES = """
CREATE QUERY by_id AS SELECT status FROM orders WHERE order_id = :order_id;
CREATE QUERY dear AS SELECT order_id FROM orders WHERE total > :total;
"""
PAGES = {
    "": ".saw-tooth canvas",
    "views/open_orders": "text=What a push runs",
    "plan": "g.box.view",
    "pressure": "text=No overload",
    "bill": "text=Sharing saves",
    "queries/dear": "text=No bound, because",
    "sources/orders": "h2:text('Dead letters')",
    "add": "section.verdict",
}


@dataclass(frozen=True)
class Served:
    project: Headwater
    address: str


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


def _serve(stack: ExitStack, project: Headwater) -> Served:
    client = stack.enter_context(served(Path(project.project.folder)))
    return Served(project, str(client.base_url).rstrip("/"))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A shop that a run keeps, whose rows are full of markup; names cannot hold any."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        shop = make_shop(tmp_path_factory.mktemp("kept") / "shop", patch, sql=SQL + QUERIES)
        shop.ingest("orders", [order(1), order(2, MARKUP), order(3), order(4, MARKUP)])
        shop.ingest("orders", [{"op": "upsert", "row": {"order_id": MARKUP}}])
        push(shop)
        record(shop)
        stack.enter_context(run_lock(shop.warehouse.root, shop.clock.now()))
        yield _serve(stack, shop)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        sql = "CREATE TABLE orders (order_id BIGINT PRIMARY KEY);"
        yield _serve(stack, make_shop(tmp_path_factory.mktemp("empty") / "shop", patch, sql=sql))


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A shop whose run has stopped, with a view that failed, a row that was rejected and a file that is wrong."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        shop = make_shop(tmp_path_factory.mktemp("failing") / "shop", patch)
        shop.ingest("orders", [order(1), {"op": "upsert", "row": {"order_id": "x"}}])
        push(shop)
        record_failure(shop, "statuses", f"CAST_INVALID_INPUT {MARKUP}")
        yield _serve(stack, shop)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    views = "".join(
        f"CREATE MATERIALIZED VIEW v{number} FRESHNESS = INTERVAL '1' MINUTE OWNER 'o{number % 7}' AS"
        f" SELECT order_id, {number} AS n FROM orders;"
        for number in range(200)
    )
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        sql = "CREATE TABLE orders (order_id BIGINT PRIMARY KEY);" + views
        yield _serve(stack, make_shop(tmp_path_factory.mktemp("large") / "shop", patch, sql=sql))


def test_every_page_of_a_kept_project(browser: Any, kept: Served) -> None:
    with window(browser, kept.address) as opened:
        for path, shows in PAGES.items():
            page = opened.go(path, shows)
            assert page.title().endswith("Headwater"), path
        opened.go("views/open_orders", "text=as of")
        assert "a run keeps the views" in opened.page.locator("header").inner_text()


def test_texts_are_never_markup(browser: Any, kept: Served) -> None:
    with window(browser, kept.address) as opened:
        opened.go("views/statuses", f"td:has-text({MARKUP!r})")
        opened.go("sources/orders", f"article:has-text({MARKUP!r})")
        opened.go(f"views/{MARKUP}", "text=There is no view")
        assert opened.page.locator("img").count() == 0
        assert opened.page.title() != "broken"


def test_the_saw_tooth_is_drawn_and_falls(browser: Any, kept: Served) -> None:
    with window(browser, kept.address) as opened:
        page = opened.go("", ".saw-tooth canvas")
        opened.wait_until(
            """(() => { const canvas = document.querySelector('.saw-tooth canvas');
            const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height});
            const seen = copy.getContext('2d', {willReadFrequently: true});
            seen.drawImage(canvas, 0, 0);
            const pixels = seen.getImageData(0, 0, canvas.width, canvas.height).data;
            let drawn = 0; for (let at = 3; at < pixels.length; at += 4) if (pixels[at] > 0) drawn += 1;
            return drawn > 300; })()"""
        )
        shown = "parseFloat(document.querySelector('tbody tr td:nth-child(3)').innerText)"
        before = page.evaluate(shown)
        opened.wait_until(f"{shown} > {before}")  # it grows by itself
        grown = page.evaluate(shown)
        push(kept.project)
        opened.wait_until(f"{shown} < {grown}")


def test_what_is_being_pushed_is_said_and_lit(browser: Any, kept: Served) -> None:
    under_way = UnderWay(kept.project.warehouse.root)
    with window(browser, kept.address) as opened:
        page = opened.go("", "tr:has-text('open_orders')")
        with under_way.push({"open_orders"}), under_way.action(["open_orders"]):
            page.locator("tr:has-text('open_orders') .dot.busy").wait_for()
            opened.go("plan", "g.box.now")
            assert page.locator("g.box.now text").text_content() == "open_orders"
            assert page.locator("path.arrow.flowing").count() == 1
        page.locator("g.box.now").wait_for(state="detached")


def test_a_view_is_verified_at_the_press_of_a_button(browser: Any, kept: Served) -> None:
    """The server asks; here the test answers as a run would (tests/spark/test_verify_on_request.py has a real one)."""
    root = kept.project.warehouse.root
    outcome = {"view": "statuses", "begun_at": "9999-01-01T00:00:00Z"}
    with window(browser, kept.address) as opened:
        page = opened.go("views/statuses", "button:text('Verify')")
        page.get_by_role("button", name="Verify", exact=True).click()
        page.get_by_text("the run takes it up in a moment").wait_for()
        (request,) = asked(root)
        take_up(root, request)
        write_outcome(root, "statuses", outcome | {"state": "running"})
        page.get_by_text("recomputing").wait_for()
        found = {"state": "done", "equal": True, "rows": 4, "time": "2026-11-18T00:00:00Z", "seconds": 1.5}
        write_outcome(root, "statuses", outcome | found)
        page.get_by_text("equal: 4 rows").wait_for()
        wrong = found | {
            "equal": False,
            "missing_rows": 1,
            "extra_rows": 0,
            "missing": [{"row": {"status": MARKUP}, "count": 1}],
        }
        write_outcome(root, "statuses", outcome | wrong)
        opened.go("", "tr:has-text('statuses')")
        opened.go("views/statuses", "text=different: 1 missing, 0 extra")
        page.locator("pre", has_text=MARKUP).wait_for()


def test_it_is_interactive_within_a_second(browser: Any, kept: Served) -> None:
    """The time that the page's own work takes, by the browser's clock; a busy machine waits besides."""
    with window(browser, kept.address) as opened:
        page = opened.go("", ".saw-tooth canvas")
        page.reload()
        page.locator(".saw-tooth canvas").first.wait_for()
        client = page.context.new_cdp_session(page)
        client.send("Performance.enable")
        metrics = {
            metric["name"]: metric["value"] for metric in client.send("Performance.getMetrics")["metrics"]
        }
        assert metrics["ScriptDuration"] + metrics["LayoutDuration"] + metrics["RecalcStyleDuration"] < 1.0


def test_views_are_found_sorted_and_grouped(browser: Any, large: Served) -> None:
    with window(browser, large.address) as opened:
        page = opened.go("", "text=v199")
        assert page.locator("tbody tr").count() == 200
        page.get_by_label("Find").fill("v19")
        opened.wait_until("document.querySelectorAll('tbody tr').length === 11")
        page.get_by_label("Group by").select_option("owner")
        page.locator("h2.group").first.wait_for()
        assert "find=v19" in page.url
        page.reload()
        opened.wait_until("document.querySelectorAll('tbody tr').length === 11")
        opened.go("?find=&group=", "text=v199")
        page.get_by_role("button", name="View").click()
        page.get_by_role("button", name="View").click()
        opened.wait_until("document.querySelector('tbody tr td').innerText.startsWith('v99')")


def test_a_plan_of_two_hundred_views_is_drawn(browser: Any, large: Served) -> None:
    with window(browser, large.address) as opened:
        page = opened.go("plan", "g.box.view")
        assert page.locator("g.box").count() == 201
        view_box = page.locator(".pan-zoom svg").get_attribute("viewBox")
        page.get_by_role("button", name="Larger").click()
        opened.wait_until(f"document.querySelector('.pan-zoom svg').getAttribute('viewBox') !== {view_box!r}")


def test_the_critical_path_is_a_chain_of_the_plan_that_is_drawn(browser: Any, kept: Served) -> None:
    """A run may keep to another plan than the one that would be made now: the path is of what is drawn."""

    def with_a_shared_stage(asked: Any) -> None:
        response = asked.fetch()
        reads = [("orders", "shared"), ("orders", "open_orders"), ("shared", "open_orders")]
        kinds = {"orders": "source", "shared": "stage", "open_orders": "view"}
        nodes = [
            {"name": name, "kind": kind, "site": "default", "seconds": 1} for name, kind in kinds.items()
        ]
        graph = {"nodes": nodes, "edges": [{"from": read, "to": stage} for read, stage in reads]}
        asked.fulfill(response=response, json=response.json() | {"graph": graph})

    with window(browser, kept.address) as opened:
        opened.page.route("**/plan", with_a_shared_stage)
        page = opened.go("plan?view=open_orders", "g.box.critical")
        assert sorted(page.locator("g.box.critical text").all_text_contents()) == [
            "open_orders",
            "orders",
            "shared",
        ]
        assert page.locator("path.arrow.critical").count() == 2  # not the short way beside it


def test_what_is_wrong_stands_on_top(browser: Any, failing: Served) -> None:
    with window(browser, failing.address) as opened:
        opened.go("", "text=statuses fails")
        text = opened.text()
        assert "The run has stopped" in text
        assert "1 row of orders was rejected" in text
        opened.go("views/statuses", "text=Its last push failed")
        opened.page.get_by_text("what failed, attempt 2").click()
        opened.page.locator("td pre", has_text="Traceback (most recent call last)").wait_for()
        opened.page.locator("td pre", has_text=MARKUP).wait_for()
        (Path(failing.project.project.folder) / "all.sql").write_text(SQL + "CREATE NONSENSE;")
        opened.go("", "text=The project's files are wrong")


def test_an_empty_project_teaches(browser: Any, empty: Served) -> None:
    with window(browser, empty.address) as opened:
        opened.go("", "text=keeps no view yet")
        assert "headwater ingest" in opened.text()
        for path in ("plan", "pressure", "bill", "queries", "sources", "add"):
            opened.go(path, "main h1, main .empty-title")
            opened.wait_until("document.querySelector('main').innerText.trim().length > 20")


def test_a_view_is_tried_added_and_dropped(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_shop(tmp_path / "shop", monkeypatch)
    with (
        served(Path(shop.project.folder)) as client,
        window(browser, str(client.base_url).rstrip("/")) as opened,
    ):
        page = opened.go("add", ".cm-content")

        def write(sql: str) -> None:
            page.locator(".cm-content").click()
            page.keyboard.press("Control+a")
            page.keyboard.press("Delete")
            page.keyboard.type(sql)

        write("CREATE MATERIALIZED VIEW dear FRESHNESS = INTERVAL '5' MINUTE AS SELECT nope FROM orders")
        page.get_by_text('Unknown column "nope"').first.wait_for()
        write("CREATE MATERIALIZED VIEW dear FRESHNESS = INTERVAL '5' MINUTE AS SELECT order_id FROM orders")
        page.get_by_text("dear is admitted").wait_for()
        page.get_by_role("button", name="Add dear").click()
        page.get_by_role("link", name="dear").click()
        page.locator("h1", has_text="dear").wait_for()
        page.get_by_role("button", name="drop").click()
        page.locator("button.danger").click()
        opened.go("", "text=open_orders")
        opened.wait_until("!document.querySelector('main').innerText.includes('dear')")
        assert "dear" not in client.get("/status").text
        # a view that is half written, or gone, is answered with 400 or 404, which the browser notes
        opened.errors[:] = [error for error in opened.errors if "Failed to load resource" not in error]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_out_of_reach(browser: Any, kept: Served, scheme: str) -> None:
    """axe's rules for people who use a keyboard, a screen reader or see little contrast."""
    axe = gzip.decompress(AXE.read_bytes()).decode()
    with window(browser, kept.address, scheme=scheme) as opened:
        for path, shows in PAGES.items():
            page = opened.go(path, shows)
            page.evaluate(axe)
            found = page.evaluate(
                "axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations)"
            )
            wrong = [f"{path}: {rule['id']} {node['html'][:120]}" for rule in found for node in rule["nodes"]]
            assert wrong == []


def test_on_a_phone_nothing_stands_beside_the_screen(browser: Any, kept: Served) -> None:
    with window(browser, kept.address, width=390) as opened:
        for path, shows in PAGES.items():
            page = opened.go(path, shows)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_theme_is_chosen(browser: Any, empty: Served) -> None:
    with window(browser, empty.address, scheme="dark") as opened:
        page = opened.go("", "main h1")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        page.get_by_role("button", name="Theme").click()
        assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_a_key_is_asked_for(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from headwater.serve.access.key_file import add_key
    from headwater.serve.access.keys import Rights, Role

    shop = make_shop(tmp_path / "shop", monkeypatch)
    _, token = add_key(shop.warehouse.root, "screen", Rights(Role.LOOK), 0)
    with (
        served(Path(shop.project.folder)) as client,
        window(browser, str(client.base_url).rstrip("/")) as opened,
    ):
        page = opened.go("", "text=This server asks for a key")
        page.get_by_label("Key").fill(token)
        page.get_by_role("button", name="Enter").click()
        page.get_by_text("open_orders").first.wait_for()
        opened.errors.clear()  # the answers of 401 that made it ask
        _looks_only(opened)


def _looks_only(opened: Window) -> None:
    opened.go("views/open_orders", "text=Rows need a key with the role query")
    opened.go("add", "text=Adding it needs a key with the role change")
