"""The languages of the pages: in which one somebody is spoken to, and what the engine says in it.

A catalogue is a .po file, read as it stands: nothing is compiled, so nothing can be stale. English is what the code
says. Templates use `gettext`, the pages' modules fetch the same catalogue as JSON, and the engine's own sentences are
found in it by their patterns, so that the rules need to know no language.
"""

import gzip
import io
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from flask import Blueprint, Flask, Response, abort, has_request_context, redirect, request
from werkzeug.wrappers import Response as AnyResponse

LANGUAGES: Mapping[str, str] = {"fr": "Français", "en": "English", "ru": "Русский"}
"""The languages there are, each by its own name."""
SOURCE = "en"
COOKIE = "cornet_language"
CATALOGUES = Path(__file__).parent / "translations"
STATIC = Path(__file__).resolve().parent / "static"
ROOT = STATIC.parents[2]
TELEVISION = "tv"
"""The page that asks nothing of anybody: it needs no sentence of a refusal, an option or a setting."""

_OF_THROWS = frozenset({"calibration/keeping.py", "server/chain.py"}) | frozenset(
    f"server/{name}.py"
    for name in ("chance", "chronicle", "eye", "log", "looks", "stage", "standing", "table", "throwing", "web/app")
)
_IMPORT = re.compile(r'^import .*? from "(\.\.?/[^"]+)";$', re.MULTILINE)
_FIGURE = re.compile(r"-?\d+(\.\d+)?%?")
_GIVEN = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_YEAR_S = 365 * 86_400

languages = Blueprint("languages", __name__)


def install(app: Flask) -> None:
    """Give the app's templates their languages, and its pages their catalogue."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.filters["say"] = say
    app.jinja_env.filters["figure"] = figure
    app.context_processor(lambda: {"language": language(), "languages": LANGUAGES, "modules": modules})
    app.register_blueprint(languages)


def language() -> str:
    """The language of whoever asks: as chosen, else as the browser prefers, else English."""
    if not has_request_context():
        return SOURCE
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    preferred = (str(tag).partition("-")[0].lower() for tag, quality in request.accept_languages if quality)
    return next((tag for tag in preferred if tag in LANGUAGES), SOURCE)


def gettext(text: str) -> str:
    """A text in the language of whoever asks."""
    return _translations(language()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """The form of a text that goes with a number, in the language of whoever asks."""
    return _translations(language()).ngettext(one, many, number)


def say(sentence: str) -> str:
    """A sentence of the engine in the language of whoever asks; as it is where no pattern fits."""
    return _say(language(), sentence)


def figure(value: float, form: str = ",") -> str:
    """A number as Python's `format` writes it by this form, with the marks of the language of whoever asks."""
    text = format(value, form)
    return text if language() == SOURCE else text.replace(",", "\u202f").replace(".", ",")


@languages.get("/language/<chosen>")
def choose(chosen: str) -> AnyResponse:
    """Keep a choice of language, and go back to the page where it was made."""
    if chosen not in LANGUAGES:
        abort(404, "This language is not spoken here.")
    back = request.args.get("to", "/")
    # Only a path of this site: "//" and a backslash would lead to another one.
    safe = re.fullmatch(r"/(?![/\\])[\w/.?=&%-]*", back)
    response = redirect(back if safe else "/")
    response.set_cookie(COOKIE, chosen, max_age=_YEAR_S, samesite="Lax")
    return response


@languages.get("/words/<name>.json")
def words(name: str) -> AnyResponse:
    """What the pages' modules and the engine say, in a language: text to text, or to its plural forms."""
    if name not in LANGUAGES or name == SOURCE:
        abort(404, "This language is not spoken here.")
    packed = request.accept_encodings.quality("gzip") > 0
    response = Response(_sent(name, request.args.get("page") == TELEVISION, packed), mimetype="application/json")
    response.vary.add("Accept-Encoding")
    if packed:
        response.content_encoding = "gzip"
    response.add_etag()
    return response.make_conditional(request)


@cache
def _sent(name: str, watched: bool, packed: bool) -> bytes:
    """A page's catalogue as it goes over the wire: packed it is a third of the television's page less."""
    text = json.dumps(_words(name, watched), ensure_ascii=False, separators=(",", ":")).encode()
    return gzip.compress(text, mtime=0) if packed else text


@cache
def catalogue(name: str) -> Catalog:
    """The catalogue of a language, as its file has it."""
    with (CATALOGUES / f"{name}.po").open("rb") as file:
        return read_po(file, locale=name)


@cache
def _translations(name: str) -> Translations:
    if name == SOURCE:
        return Translations()
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(name))
    compiled.seek(0)
    return Translations(compiled)


@cache
def _words(name: str, watched: bool = False) -> dict[str, Any]:
    """What the modules of all pages and the engine say; if only `watched`, what the television can come to say."""
    found: dict[str, Any] = {}
    speaking = _watched() if watched else None
    for message in catalogue(name):
        places = [place for place, _ in message.locations if not place.startswith("server/web/templates/")]
        if message.id and (any(place in speaking for place in places) if speaking else places):
            text, said = message.id, message.string
            found[text if isinstance(text, str) else text[0]] = said if isinstance(said, str) else list(said or ())
    return found


@cache
def _watched() -> frozenset[str]:
    """The files whose sentences reach the television: its modules, and what speaks of throws and faults."""
    speaking = [STATIC / name for name in modules(TELEVISION)]
    speaking += [path for folder in ("firmware", "vision") for path in (ROOT / folder).glob("*.py")]
    return frozenset(path.relative_to(ROOT).as_posix() for path in speaking) | _OF_THROWS


@cache
def modules(page: str) -> tuple[str, ...]:
    """A page's module and all that it imports, as paths in `static`: a browser told of them at once asks once."""
    waiting, found = [STATIC / f"{page}.js"], list[Path]()
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.append(module)
            waiting += [(module.parent / name).resolve() for name in _IMPORT.findall(module.read_text("utf-8"))]
    return tuple(path.relative_to(STATIC).as_posix() for path in found)


@cache
def _patterns(name: str) -> list[tuple[re.Pattern[str], str]]:
    """The engine's sentences with gaps, those with most of their own words first."""
    gaps = [(text, str(said)) for text, said in _words(name).items() if "{0}" in text]
    ranked = sorted(gaps, key=lambda gap: -len(re.sub(r"\{\d\}", "", gap[0])))
    return [(re.compile(_as_pattern(text), re.DOTALL), said) for text, said in ranked]


def _as_pattern(text: str) -> str:
    return re.sub(r"\\\{(\d)\\\}", r"(?P<g\1>.*?)", re.escape(text))


def _say(name: str, sentence: str) -> str:
    if name == SOURCE:
        return sentence
    whole = catalogue(name).get(sentence)
    if whole is not None and isinstance(whole.string, str) and whole.string:
        return whole.string
    for pattern, text in _patterns(name):
        found = pattern.fullmatch(sentence)
        if found:
            return _filled(text, [_gap(name, value) for value in found.groups()])
    return sentence


def _gap(name: str, value: str) -> str:
    """What fills a gap: a figure with the marks of the language, what was given as it was given, or what is said."""
    if _FIGURE.fullmatch(value):
        return value.replace(".", ",").replace("%", "\u202f%")
    return value if _GIVEN.fullmatch(value) else _say(name, value)


def _filled(text: str, values: list[str]) -> str:
    return re.sub(r"\{(\d)\}", lambda gap: values[int(gap[1])], text)
