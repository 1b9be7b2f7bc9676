"""What the television has to fetch before it shows anything, and what it shows before it has."""

import re

import pytest
from flask.testing import FlaskClient

from server.web.app import create_app

from ..conftest import MakeTable

MOST_BYTES = 125_000


@pytest.mark.parametrize("language", ["en", "fr", "ru"])
def test_the_televisions_page_is_light_and_asks_nobody_else(make_table: MakeTable, language: str) -> None:
    table = make_table()
    client = create_app(table, table._log).test_client()
    client.set_cookie("cornet_language", language)
    client.environ_base["HTTP_ACCEPT_ENCODING"] = "gzip"
    waiting, fetched = ["/tv"], {}
    while waiting:
        path = waiting.pop()
        if path in fetched:
            continue
        answer = client.get(path)
        assert answer.status_code == 200, path
        fetched[path] = len(answer.get_data())
        waiting += [] if path.startswith("/words/") else linked(path, answer.get_data(as_text=True))
        answer.close()
    assert sum(fetched.values()) < MOST_BYTES, fetched
    assert {"/static/tv.js", "/static/words.js", "/static/sheets/421.js", "/static/tv.css"} <= fetched.keys()
    assert (f"/words/{language}.json?page=tv" in fetched) is (language != "en")


@pytest.mark.parametrize("page", ["/tv", "/play", "/operator", "/history"])
def test_a_page_names_every_module_at_once_and_none_that_it_does_not_import(client: FlaskClient, page: str) -> None:
    told = re.findall(r'<link rel="modulepreload" href="([^"]+)">', client.get(page).text)
    imported = set()
    for module in told:
        with client.get(module) as answer:
            imported |= set(linked(module, answer.get_data(as_text=True)))
    assert set(told) == imported | {told[0]}
    assert len(told) == len(set(told)) > 5


def test_the_televisions_page_says_whose_turn_it_is_before_any_module_runs(client: FlaskClient) -> None:
    assert "<h2>Cornet</h2>" in client.get("/tv").text
    client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana <b>", "Bo"]})
    page = client.get("/tv").text
    assert '<p class="who"><bdi>Ana &lt;b&gt;</bdi></p>' in page
    assert "<b>Le 25</b>" in page
    assert "<h2>" not in page


def linked(path: str, text: str) -> list[str]:
    """What a page, a style sheet or a module makes the browser fetch, all of it from here."""
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//|@import|url\(\s*['\"]?http", text), path
    if path.endswith(".js"):
        folder = path.rpartition("/")[0]
        found = re.findall(r'^import .*? from "(\.\.?/[^"]+)";$', text, re.MULTILINE)
        return [re.sub(r"[^/]+/\.\./", "", f"{folder}/{name}".replace("/./", "/")) for name in found]
    return re.findall(r'<(?:link|script)[^>]*?(?:href|src)="(/(?:static|words)/[^"]+)"', text)
