"""What the API promises: each route says beside itself who may call it with what, and that is held and written out."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from flask import Flask, abort, current_app, request

from server.record import Refused, parse
from server.rules.game import short

Schema = Mapping[str, Any]
View = TypeVar("View", bound=Callable[..., Any])

ANYBODY, SEAT, OPERATOR = "anybody", "whoever holds a seat", "the operator or the console"
"""Who may call a route; the console may call every one."""

UNWRITTEN = "It cannot be written down: the machine is in fault."
"""What a 409 means where nothing else is in the way."""

KEY: Schema = {
    "type": "string",
    "pattern": "^[ -~]{1,100}$",
    "description": "a text of 1 to 100 plain characters, another one for each request",
}
SEQ: Schema = {
    "type": "integer",
    "minimum": 0,
    "maximum": 2**53,
    "description": 'the "seq" of the state that was looked at, a whole number',
}
DONE: Schema = {
    "type": "object",
    "properties": {"seq": {"type": "integer"}},
    "required": ["seq"],
    "description": "the sequence number of what it became",
}
_ERROR: Schema = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
_LIMITS = {"enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
_KEYWORDS = _LIMITS | {"type", "items", "properties", "required", "additionalProperties", "description"}


@dataclass(frozen=True, slots=True)
class Operation:
    """What a route takes and gives."""

    who: str
    answers: Mapping[int, str]  # what each status means
    body: Mapping[str, Schema] | None = None  # the fields of a JSON object; None: there is no body
    needed: tuple[str, ...] = ()
    query: Mapping[str, Schema] = field(default_factory=dict)
    gives: Schema | str = field(
        default_factory=dict
    )  # a good answer's schema, or the media type of one that is no JSON
    also: tuple[int, ...] = ()  # the statuses that are no success and give the same
    is_note: bool = False  # whether guests may write with it into the log at any time


_OPERATIONS: dict[Callable[..., Any], Operation] = {}


def operation(who: str, answers: Mapping[int, str], **rest: Any) -> Callable[[View], View]:
    """Decorates a view with what it promises; the first line of its docstring is its summary."""

    def note(view: View) -> View:
        _OPERATIONS[view] = Operation(who, answers, **rest)
        return view

    return note


def promised() -> Operation | None:
    """What the view of the present request promises; None where there is no such page or it promises nothing."""
    view = current_app.view_functions.get(request.endpoint or "")
    return _OPERATIONS.get(view) if view else None


def body() -> dict[str, Any]:
    """The body of the present request, checked against what its route takes; 400 where it is something else."""
    promise = promised()
    fields: Mapping[str, Schema] = (promise.body if promise else None) or {}
    given = read_json(request.get_data() or b"{}")
    if not isinstance(given, dict):
        abort(400, f"The body is a JSON object, not {short(given)}.")
    for name in promise.needed if promise else ():
        if name not in given:
            abort(400, f'The body lacks "{name}".')
    for name, value in given.items():
        if name not in fields:
            abort(400, f"The body has no {short(name)}; it has {', '.join(fields) or 'nothing'}.")
        if not fits(value, fields[name]):
            abort(400, f'"{name}" is {fields[name]["description"]}, not {short(value)}.')
    return given


def read_json(text: bytes) -> Any:
    """The value that a strict JSON text says; 400 where it is none, or holds a lone surrogate."""
    try:
        value = parse(text)
        # What no file and no page can be written in must not come into the log.
        json.dumps(value, ensure_ascii=False).encode()
    except Refused as error:
        abort(400, str(error))
    except UnicodeEncodeError:
        abort(400, "A text holds half a letter (a lone surrogate): send whole ones.")
    return value


def asked_number(name: str) -> int | None:
    """The whole number that the query of the present request gives by this name; 400 where it is none."""
    text = request.args.get(name)
    if text is not None and not re.fullmatch("[0-9]{1,15}", text):
        abort(400, f'"{name}" is a whole number, not {short(text)}.')
    return None if text is None else int(text)


def fits(value: Any, schema: Schema | bool) -> bool:
    """Whether a value is as a schema says; of JSON Schema it knows what the routes here use. ValueError for more."""
    if isinstance(schema, bool):
        return schema
    unknown = schema.keys() - _KEYWORDS
    if unknown:
        raise ValueError(f"A body cannot be held to {', '.join(sorted(unknown))}.")
    kinds = schema.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(type(value) in _TYPES[kind] for kind in kinds):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, int | float):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, str):
        long = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return long and ("pattern" not in schema or re.search(schema["pattern"].replace("$", r"\Z"), value) is not None)
    if isinstance(value, list):
        long = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        return long and all(fits(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        whole = all(name in value for name in schema.get("required", ()))
        return whole and all(fits(each, known.get(name, others)) for name, each in value.items())
    return True


def document(app: Flask, version: str) -> dict[str, Any]:
    """The OpenAPI 3.1 document of every route that promises something."""
    paths: dict[str, dict[str, Any]] = {}
    for rule in app.url_map.iter_rules():
        promise = _OPERATIONS.get(app.view_functions[rule.endpoint])
        if promise is None:
            continue
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            about = app.view_functions[rule.endpoint].__doc__ or ""
            paths.setdefault(path, {})[method.lower()] = _describe(promise, method, rule, about)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Cornet", "version": version, "description": _PREFACE},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {
                "seat": {"type": "apiKey", "in": "cookie", "name": "cornet_seat"},
                "operator": {"type": "apiKey", "in": "cookie", "name": "cornet_operator"},
                "token": {"type": "apiKey", "in": "header", "name": "X-Cornet-Token"},
            },
        },
    }


_PREFACE = (
    "The console (127.0.0.1 and ::1) needs neither cookie nor token. From everywhere else a request that changes "
    "something carries the token of GET /api/me in the header X-Cornet-Token, and, if it sends an Origin, exactly ours "
    "(without one: a Referer, if any, of a page of ours)."
)


def _describe(promise: Operation, method: str, rule: Any, about: str) -> dict[str, Any]:
    changing = method != "GET"
    answers = {400: "The request is not understood, or its Host is not this machine."}
    answers |= {403: "The request comes from another site's page, or from somebody who may not do this."}
    answers |= (
        {413: "The body is larger than 16 kB.", 429: "Too many requests; Retry-After says when."} if changing else {}
    )
    if rule.arguments:
        answers |= {404: "There is nothing of that name or number."}
    lines = about.strip().splitlines()
    described: dict[str, Any] = {
        "operationId": rule.endpoint.replace(".", "_"),
        "summary": lines[0],
        "description": f"For {promise.who}.",
        "responses": {
            str(status): _answer(status, sentence, promise, rule.rule)
            for status, sentence in sorted({**answers, **promise.answers}.items())
        },
    }
    shown = [
        scheme for scheme, asked in (("seat", promise.who == SEAT), ("operator", promise.who == OPERATOR)) if asked
    ]
    shown += ["token"] if changing else []
    # The console shows nothing.
    described["security"] = [{scheme: [] for scheme in shown}, {}] if shown else []
    places = [_parameter(name, _in_path(rule, name), "path") for name in sorted(rule.arguments)]
    places += [_parameter(name, schema, "query") for name, schema in promise.query.items()]
    if places:
        described["parameters"] = places
    if promise.body is not None:
        fields: dict[str, Any] = {"type": "object", "properties": dict(promise.body), "additionalProperties": False}
        fields |= {"required": list(promise.needed)} if promise.needed else {}
        described["requestBody"] = {
            "required": bool(promise.needed),
            "content": {"application/json": {"schema": fields}},
        }
    return described


def _in_path(rule: Any, name: str) -> Schema:
    number = f"<int:{name}>" in rule.rule
    return {"type": "integer", "minimum": 0} if number else {"type": "string", "minLength": 1}


def _parameter(name: str, schema: Schema, place: str) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _answer(status: int, sentence: str, promise: Operation, path: str) -> dict[str, Any]:
    gives: Schema | str = promise.gives
    if status == 304:
        return {"description": sentence}
    if status >= 400 and status not in promise.also:
        # A page with links is no answer to a Host that is not ours.
        page = "text/plain" if status == 400 else "text/html"
        gives = {"$ref": "#/components/schemas/Error"} if path.startswith("/api/") else page
    return {
        "description": sentence,
        "content": {gives: {}} if isinstance(gives, str) else {"application/json": {"schema": gives}},
    }
