"""Which Spark a site gets: shared, its own by Spark Connect, or a clear no. No Spark here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from headwater.engine.spark.connect import connect, is_connect
from headwater.engine.spark.session import connect_settings
from headwater.engine.spark.sites import Sites, check_masters
from headwater.errors import InputError
from headwater.model import Project, Site


def project(master: str = "local[*]", **sites: str) -> Project:
    return Project(
        "p", ".", "warehouse", {}, {}, {}, {name: Site(name, spark=one) for name, one in sites.items()}, spark_master=master
    )  # fmt: skip


class Started:
    """A session that knows where it is."""

    def __init__(self, master: str) -> None:
        self.master = master


def started(one: Any) -> tuple[Sites, list[str]]:
    asked: list[str] = []

    def start(master: str) -> Any:
        asked.append(master)
        return Started(master)

    return Sites(one, start=start), asked


def test_sites_that_name_no_spark_share_the_projects() -> None:
    sites, asked = started(project(plango="", opentable=""))
    assert sites.spark("plango") is sites.spark("opentable") is sites.spark()
    assert asked == ["local[*]"]
    assert list(sites) == ["default", "plango", "opentable"]


def test_every_address_has_its_own_session_made_once() -> None:
    sites, asked = started(project(a="sc://a:1", b="sc://b:2", c="sc://a:1"))
    assert sites.spark("a") is sites.spark("c") is not sites.spark("b")
    assert asked == ["sc://a:1", "sc://b:2"]
    assert sites.remote("a")
    assert not sites.remote("default")


def test_renewing_makes_another_session_of_a_remote_site_only(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[Any] = []
    monkeypatch.setattr("headwater.engine.spark.sites.stop", stopped.append)
    sites, asked = started(project(a="sc://a:1"))
    old, own = sites.spark("a"), sites.spark()
    sites.renew("a")
    sites.renew("default")
    assert sites.spark("a") is not old
    assert sites.spark() is own
    assert stopped == [old]
    assert asked == ["sc://a:1", "local[*]", "sc://a:1"]


@pytest.mark.parametrize(
    ("sites", "culprit"),
    [({"a": "local[2]"}, "a"), ({"a": "", "b": "spark://host:7077"}, "b"), ({"default": "local[1]", "a": "local[*]"}, "default")],
)  # fmt: skip
def test_a_second_master_is_refused_with_the_way_out(sites: Mapping[str, str], culprit: str) -> None:
    with pytest.raises(InputError) as caught:
        check_masters(project(**sites))
    assert caught.value.code == "HW812"
    assert f'site "{culprit}"' in caught.value.message
    assert "sc://host:15002" in caught.value.hint


def test_one_master_may_stand_at_a_site_while_the_project_is_remote() -> None:
    one = project("sc://far:1", near="local[2]", far="")
    check_masters(one)
    assert one.masters() == {"default": "sc://far:1", "near": "local[2]", "far": "sc://far:1"}
    with pytest.raises(InputError):
        check_masters(project("sc://far:1", near="local[2]", other="local[3]"))


def test_settings_of_a_whole_spark_are_not_sent_to_a_server() -> None:
    sent = connect_settings({"spark.sql.shuffle.partitions": "3", "spark.executor.memory": "9g"})
    assert sent["spark.sql.shuffle.partitions"] == "3"
    assert sent["mapreduce.fileoutputcommitter.algorithm.version"] == "2"
    assert not {"spark.executor.memory", "spark.driver.memory", "spark.sql.catalogImplementation"} & set(sent)


def test_a_wrong_address_is_told() -> None:
    with pytest.raises(InputError) as caught:
        connect("sc://host:port:more/path")
    assert caught.value.code == "HW811"
    assert not is_connect(caught.value)
