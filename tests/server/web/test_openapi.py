"""The API's document: complete, and true of what the routes take."""

from typing import Any

import pytest
from flask import Flask

from server.web.handed import handed
from server.web.openapi import fits
from server.web.people import SEAT_COOKIE

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


@pytest.fixture
def document(app: Flask) -> Any:
    return app.test_client().get("/api/openapi.json").get_json()


def routes(app: Flask) -> set[tuple[str, str]]:
    """Every route but the pages for people, which are looked at and take nothing."""
    found = set()
    for rule in app.url_map.iter_rules():
        path = rule.rule.replace("<int:", "{").replace("<path:", "{").replace("<", "{").replace(">", "}")
        found |= {(path, method) for method in (rule.methods or set()) & METHODS}
    return found


def is_page(path: str) -> bool:
    return not path.startswith(("/api/", "/frames/")) and path not in ("/healthz", "/metrics")


def test_every_route_is_in_the_document_and_nothing_else(app: Flask, document: Any) -> None:
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    assert {(path, method) for path, method in routes(app) if not is_page(path)} <= described <= routes(app)
    assert len(described) > 20


def test_a_page_is_only_looked_at(app: Flask) -> None:
    assert {method for path, method in routes(app) if is_page(path)} == {"GET"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/api/seats", {"name": "Bo"}),
        ("patch", "/api/seats/mine", {"name": "Bo"}),
        ("delete", "/api/seats/mine", None),
        ("patch", "/api/seats/{number}", {"approved": False}),
        ("delete", "/api/seats/{number}", None),
        ("put", "/api/joining", {"joining": "open"}),
        ("post", "/api/games", {"game": "421", "players": ["Ana", "Bo"]}),
        ("post", "/api/undo", {}),
    ],
)
def test_what_cannot_be_written_down_is_refused_as_the_document_says(
    app: Flask, document: Any, method: str, path: str, body: Any
) -> None:
    client = app.test_client()
    seat = client.post("/api/seats", json={"name": "Ana"}).get_json()["seat"]["id"]
    if (method, path) == ("post", "/api/seats"):
        client.delete_cookie(SEAT_COOKIE)
    handed(app).table.latch("storage", "The disk is full.")
    answer = client.open(path.format(number=seat), method=method.upper(), json=body)
    assert answer.status_code == 409
    assert "409" in document["paths"][path][method]["responses"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Range": "bytes=0-3"}, 206),
        ({"If-None-Match": "the picture's"}, 304),
        ({"Host": "elsewhere.example"}, 400),
        ({"Range": "bytes=9999-"}, 416),
        ({"If-Match": '"another"'}, 412),
    ],
)
def test_a_picture_comes_as_the_document_says(app: Flask, document: Any, headers: dict[str, str], status: int) -> None:
    client, path = app.test_client(), f"/frames/{handed(app).log.keep_frame(b'a picture')}.jpg"
    if "If-None-Match" in headers:
        with client.get(path) as first:
            headers = {"If-None-Match": first.headers["ETag"]}
    promised = document["paths"]["/frames/{name}"]["get"]["responses"][str(status)]
    with client.get(path, headers=headers) as answer:
        assert answer.status_code == status
        shown = [answer.mimetype] if answer.data else []
    assert shown == list(promised.get("content", {}))


def test_every_operation_says_what_it_does_for_whom_and_what_may_come_of_it(document: Any) -> None:
    names = set()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            names.add(operation["operationId"])
            assert operation["summary"].endswith("."), path
            assert operation["description"].startswith("For ")
            assert {"400", "403"} <= operation["responses"].keys()
            assert any(status < "300" for status in operation["responses"])
            assert all(answer["description"].endswith(".") for answer in operation["responses"].values())
            if method != "get":
                assert any("token" in shown for shown in operation["security"]), path
            places = {parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "path"}
            assert places == {part.strip("{}") for part in path.split("/") if part.startswith("{")}
    assert len(names) == sum(map(len, document["paths"].values()))


def test_every_field_of_a_body_says_what_it_is(document: Any) -> None:
    for methods in document["paths"].values():
        for operation in methods.values():
            body = operation.get("requestBody", {"content": {"application/json": {"schema": {"properties": {}}}}})
            schema = body["content"]["application/json"]["schema"]
            assert all(field["description"] for field in schema["properties"].values())
            assert set(schema.get("required", ())) <= schema["properties"].keys()


@pytest.mark.parametrize(
    ("value", "schema", "right"),
    [
        (3, {"type": "integer", "minimum": 3}, True),
        (2, {"type": "integer", "minimum": 3}, False),
        (True, {"type": "integer"}, False),
        (1.0, {"type": "integer"}, False),
        (None, {"type": ["integer", "null"]}, True),
        (None, {"type": "integer"}, False),
        ("abc\n", {"type": "string", "pattern": "^[a-c]+$"}, False),
        ("abc", {"type": "string", "pattern": "^[a-c]+$", "maxLength": 3}, True),
        ("abcd", {"type": "string", "maxLength": 3}, False),
        ("d", {"type": "string", "enum": ["a"]}, False),
        ([1, None], {"type": "array", "items": {"type": ["integer", "null"]}}, True),
        ([1, "x"], {"type": "array", "items": {"type": "integer"}}, False),
        ([1, 2], {"type": "array", "maxItems": 1}, False),
        ({}, {"type": "object"}, True),
        ([], {"type": "object"}, False),
        ({"do": 3}, {"type": "object", "properties": {"do": {"type": "string"}}}, False),
        ({"do": "keep", "dice": [6]}, {"type": "object", "properties": {"do": {"type": "string"}}}, True),
        ({}, {"type": "object", "properties": {"do": {"type": "string"}}}, True),
        ({}, {"type": "object", "required": ["do"]}, False),
        ({"do": 3}, {"type": "object", "properties": {"do": {}}, "additionalProperties": False}, True),
        ({"x": 3}, {"type": "object", "properties": {"do": {}}, "additionalProperties": False}, False),
        ({"x": 3}, {"type": "object", "additionalProperties": {"type": "string"}}, False),
        (1.5, {"type": "number", "maximum": 2}, True),
        (2, {"type": "number", "maximum": 1.5}, False),
        (True, {"type": "number"}, False),
        (None, {}, True),
        (None, {"type": ["string", "null"], "enum": ["a"]}, False),
    ],
)
def test_a_value_fits_its_schema_or_not(value: Any, schema: Any, right: bool) -> None:
    assert fits(value, schema) is right


def test_a_schema_that_says_more_than_is_held_is_refused() -> None:
    with pytest.raises(ValueError, match="uniqueItems"):
        fits([[1, 1]], {"type": "array", "items": {"type": "array", "uniqueItems": True}})
