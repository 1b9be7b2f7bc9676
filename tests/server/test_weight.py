"""What the television has to fetch before it shows anything."""

import re

import pytest

from server.web import create_app

from .conftest import MakeTable

MOST_BYTES = 150_000


@pytest.mark.parametrize("language", ["en", "fr", "ru"])
def test_the_televisions_page_is_light_and_asks_nobody_else(make_table: MakeTable, language: str) -> None:
    table = make_table()
    client = create_app(table, table._log).test_client()
    client.set_cookie("cornet_language", language)
    waiting, fetched = ["/tv"] + [f"/words/{language}.json?page=tv"] * (language != "en"), {}
    while waiting:
        path = waiting.pop()
        if path in fetched:
            continue
        answer = client.get(path)
        assert answer.status_code == 200, path
        fetched[path] = len(answer.get_data())
        waiting += linked(path, answer.get_data(as_text=True))
        answer.close()
    assert sum(fetched.values()) < MOST_BYTES, fetched
    assert {"/static/tv.js", "/static/words.js", "/static/sheets/421.js", "/static/tv.css"} <= fetched.keys()


def linked(path: str, text: str) -> list[str]:
    """What a page, a style sheet or a module makes the browser fetch, all of it from here."""
    if path.startswith("/words/"):
        return []
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//|@import|url\(\s*['\"]?http", text), path
    if path.endswith(".js"):
        folder = path.rpartition("/")[0]
        found = re.findall(r'^import .*? from "(\.\.?/[^"]+)";$', text, re.MULTILINE)
        return [re.sub(r"[^/]+/\.\./", "", f"{folder}/{name}".replace("/./", "/")) for name in found]
    return re.findall(r'<(?:link|script)[^>]*?(?:href|src)="(/static/[^"]+)"', text)
