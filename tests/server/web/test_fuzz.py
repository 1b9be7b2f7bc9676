"""Whatever the API's document allows, and what it does not: nothing breaks, and nobody does what is not his to do."""

import os
from collections.abc import Callable, Iterable
from http.cookies import SimpleCookie
from itertools import count
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server.table import Table
from server.web.access import hashed
from server.web.app import create_app
from server.web.guard import OPERATOR_COOKIE, TOKEN, token_of
from server.web.handed import handed
from server.web.people import SEAT_COOKIE

from ..conftest import MakeTable

EXAMPLES = int(os.environ.get("CORNET_FUZZ", "3"))
"""So many requests of each kind to each route."""
SEAT = "5" * 32
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
WSGI = Callable[[dict[str, Any], Any], Iterable[bytes]]


class Sender:
    """The app as somebody reaches it: each request from an address of its own, with that address's token."""

    def __init__(self, app: Flask, role: str) -> None:
        self._app, self._role = app, role
        self._table: Table = handed(app).table
        self._addresses = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in count(1))

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ["REMOTE_ADDR"] = next(self._addresses)
        environ["HTTP_HOST"] = "localhost"
        with self._app.test_request_context(environ_overrides={"REMOTE_ADDR": environ["REMOTE_ADDR"]}) as context:
            environ["HTTP_" + TOKEN.upper().replace("-", "_")] = token_of(context.request)
        cookie = SimpleCookie(self._cookie())
        environ["HTTP_COOKIE"] = cookie.output(header="", sep=";").strip()
        return self._app.wsgi_app(environ, start_response)

    def _cookie(self) -> dict[str, str]:
        if self._role == "operator":
            return {OPERATOR_COOKIE: handed(self._app).access.open_session()}
        if self._role == "guest":
            # He may have left his seat, or been sent away from it.
            if self._table.ask(lambda standing: standing.seats.of_secret(hashed(SEAT))) is None:
                body = {"name": "Ana", "secret": hashed(SEAT), "approved": True, "player": None, "by": "test"}
                self._table.note("seat", body)
            return {SEAT_COOKIE: SEAT}
        return {}


@pytest.fixture
def app(make_table: MakeTable) -> Flask:
    table = make_table()
    app = create_app(table, table._log)
    handed(app).access.set_pin("271828")
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    return app


@pytest.mark.parametrize("role", ["nobody", "guest", "operator"])
def test_whatever_is_sent_is_answered_as_the_document_says(app: Flask, role: str) -> None:
    sender: Any = Sender(app, role)
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", sender)
    before = [event.seq for event in handed(app).table._log.events()][-1]
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), "the document is not what OpenAPI says"
        operation = result.ok()
        _send(operation, GenerationMode.POSITIVE)
        if operation.body or operation.query:
            _send(operation, GenerationMode.NEGATIVE)
    done = [event for event in handed(app).table._log.events() if event.seq > before]
    kinds = {event.kind for event in done if event.body.get("by") != "test"}
    if role == "operator":
        assert {"abandon", "joining"} <= kinds
    else:
        assert kinds <= {"seat", "action", "press", "throw", "refused", "dispute", "void", "fault"}
        assert handed(app).access.log_in("271828", None)
    if role == "guest":
        assert any(str(event.body.get("by")).startswith("seat ") for event in done)
    if role == "nobody":
        assert {event.body["by"] for event in done} <= {"guest"} | {
            f"seat {event.seq}" for event in done if event.kind == "seat"
        }


def _send(operation: Any, mode: GenerationMode) -> None:
    # 503 is what a machine that was stopped rightly says of its health; the document has it, and no other 5xx.
    checks = [each for each in CHECKS if operation.path != "/healthz" or each is not not_a_server_error]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        case.call_and_validate(checks=checks)

    check()
