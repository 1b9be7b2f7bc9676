"""Every text that a person may read, as the code has it; run to bring the catalogues up to date.

`python -m tests.words` writes what is new into server/web/translations, takes out what is gone, and lists what is
still to be said in French and Russian.
"""

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from server.rules import GAMES
from server.settings import SETTINGS

ROOT = Path(__file__).parents[1]
CATALOGUES = ROOT / "server" / "web" / "translations"
ENGINE = (
    "server/rules/game.py",
    "server/rules/bank.py",
    "server/rules/quatorze.py",
    "server/rules/vingt_cinq.py",
    "server/rules/vingt_six.py",
    "server/rules/le_421.py",
    "server/rules/thousand.py",
    "server/rules/thousand_options.py",
    "server/table.py",
    "server/retention.py",
    "server/stage.py",
    "server/standing.py",
    "vision/files.py",
    "vision/picture.py",
    "vision/camera.py",
    "firmware/current.py",
    "server/chance.py",
    "server/backlog.py",
    "server/chain.py",
    "server/chronicle.py",
    "server/log.py",
    "server/looks.py",
    "server/throwing.py",
    "server/correction.py",
    "server/web/counsel.py",
    "server/web/people.py",
    "server/web/moves.py",
    "server/advice.py",
    "server/strategy/bank.py",
    "server/strategy/le_421.py",
    "server/strategy/outlook.py",
    "server/strategy/thousand.py",
    "server/strategy/vingt_cinq.py",
    "server/web/join.py",
    "server/web/history.py",
    "server/seats.py",
    "server/web/access.py",
    "server/names.py",
    "server/web/guard.py",
    "server/web/refusal.py",
    "server/web/app.py",
    "server/web/pictures.py",
    "server/web/bench.py",
    "server/web/caps.py",
    "server/web/checkup.py",
    "server/stepping.py",
    "server/wizard.py",
    "server/eye.py",
    "server/web/rulebook.py",
    "server/web/languages.py",
    "server/web/openapi.py",
    "calibration/enrolment.py",
    "calibration/floor.py",
    "calibration/keeping.py",
    "calibration/lens.py",
    "calibration/light.py",
    "calibration/motor.py",
    "calibration/pictures.py",
    "calibration/steps.py",
    "firmware/gpio.py",
    "firmware/health.py",
    "firmware/motion.py",
    "firmware/simulated.py",
    "firmware/survey.py",
    "vision/holding.py",
    "vision/live.py",
    "vision/picam.py",
    "vision/placing.py",
    "vision/rest.py",
    "vision/tray.py",
    "vision/usb.py",
    "vision/verdicts.py",
    "vision/views.py",
)
"""The modules whose sentences reach a screen."""
WORDING = "server/web/wording.py"
FINDINGS = {
    "server/web/checkup.py": {"_parts"},
    "server/doctor.py": {"programs", "reader", "disk", "log", "calibration", "clock"},
}
"""The functions whose findings the bartender's page shows."""
_NAMES = {"Python"}
# Babel's own reader of JavaScript misses a call within a call and one within a template.
_CALL = re.compile(r'\b(t|tx|tn)\(\s*("(?:[^"\\]|\\.)*")(?:,\s*("(?:[^"\\]|\\.)*"))?')
# What a program reads: SQL, marked-up text, a policy for browsers, lines of a protocol, a comment, a pattern.
_TECHNICAL = re.compile(r"[A-Z]{5}|=\"|'none'|\n|^[#^]")

Text = str | tuple[str, str]


def collect() -> dict[Text, set[str]]:
    """Each text, or pair of singular and plural, with the files that say it."""
    found: dict[Text, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "server" / "web" / "templates").rglob("*.html")):
        with path.open("rb") as file:
            for _, call, said, _ in babel_extract(file, ("gettext", "ngettext", "_"), (), {"trimmed": "true"}):
                found[_paired(call, said)].add(_name(path))
    for path in sorted((ROOT / "server" / "web" / "static").rglob("*.js")):
        for text in spoken(path.read_text("utf-8")):
            found[text].add(_name(path))
    for module in ENGINE:
        for sentence in sentences(ROOT / module):
            found[sentence].add(module)
    for game in GAMES.values():
        for option in game.OPTIONS:
            found[option.sentence].add("server/rules")
    for line in SETTINGS:
        found[line.sentence].add("server/settings.py")
    for module, functions in FINDINGS.items():
        for words in findings(ROOT / module, functions):
            found[words].add(module)
    for word in _strings(ROOT / WORDING):
        found[word].add(WORDING)
    return found


def _paired(call: str | None, text: object) -> Text:
    parts = [part for part in text if part] if isinstance(text, (tuple, list)) else [text]
    return (str(parts[0]), str(parts[1])) if call in ("tn", "ngettext") else str(parts[0])


def spoken(module: str) -> Iterator[Text]:
    """The texts that a page's module says, wherever in it."""
    for call in _CALL.finditer(module):
        one = json.loads(call[2])
        yield (one, json.loads(call[3])) if call[1] == "tn" else one


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sentences(path: Path) -> Iterator[str]:
    """What a module says, and what it puts into what it says: what is filled in is a numbered gap."""
    for text in _strings(path):
        own = re.sub(r"\{\d\}", "", text)
        if " " in text.strip() and re.search("[a-z]{3}", own) and not _TECHNICAL.search(text):
            yield text
    yield from _chosen(path)


def _chosen(path: Path) -> Iterator[str]:
    """The words between which a sentence chooses."""
    for node in ast.walk(ast.parse(path.read_text())):
        for choice in ast.walk(node.value) if isinstance(node, ast.FormattedValue) else ():
            if isinstance(choice, ast.IfExp):
                yield from (text for text in _worded(choice) if re.match("[a-z]", text))


def findings(path: Path, functions: set[str]) -> Iterator[str]:
    """What these functions of the doctor's find, part by part: words, and gaps between them."""
    for function in ast.parse(path.read_text()).body:
        if not isinstance(function, ast.FunctionDef) or function.name not in functions:
            continue
        for node in ast.walk(function):
            said: list[ast.expr] = []
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding":
                said = [argument for place, argument in enumerate(node.args) if place != 1]
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("saw", "do"):
                said = [node.value]
            for value in said:
                yield from _worded(value)


def _worded(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from _worded(value.body)
        yield from _worded(value.orelse)
    elif isinstance(value, (ast.Constant, ast.JoinedStr)):
        text = str(value.value) if isinstance(value, ast.Constant) else _with_gaps(value)
        if re.search(r"[a-z]{2}", text) and text not in _NAMES:
            yield text


def _strings(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(node.value)  # a docstring
        elif isinstance(node, ast.JoinedStr):
            inner |= {part for part in node.values if isinstance(part, ast.Constant)}
        elif isinstance(node, ast.FormattedValue) and node.format_spec:
            inner |= set(ast.walk(node.format_spec))
        elif isinstance(node, ast.Call) and re.match(r"logger\.|operation$", ast.unparse(node.func)):
            inner |= set(ast.walk(node))
        elif isinstance(node, ast.Dict):
            inner |= {key for key in node.keys if key is not None}
    for node in ast.walk(tree):
        if node in inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield _with_gaps(node)


def _with_gaps(node: ast.JoinedStr) -> str:
    parts, gaps = [], 0
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value))
        else:
            parts.append(f"{{{gaps}}}")
            gaps += 1
    return "".join(parts)


def update(name: str) -> list[Text]:
    """Bring a language's catalogue up to date; what it does not say yet."""
    path = CATALOGUES / f"{name}.po"
    old = Catalog(locale=name)
    if path.exists():
        with path.open("rb") as file:
            old = read_po(file, locale=name)
    new = Catalog(locale=name, project="Cornet", fuzzy=False)
    missing: list[Text] = []
    for text, places in sorted(collect().items(), key=lambda item: (min(item[1]), str(item[0]))):
        key = text[0] if isinstance(text, tuple) else text
        before = old.get(key)
        said = before.string if before else ""
        if not said or (not isinstance(said, str) and not all(said)):
            missing.append(text)
        new.add(text, said, locations=[(place, 0) for place in sorted(places)])
    with path.open("wb") as file:
        write_po(file, new, width=120, omit_header=True, include_lineno=False)
    body = path.read_text()
    plural = old.plural_forms if path.exists() else ""
    header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Language: {name}\\n"\n'
    path.write_text(f'{header}"Plural-Forms: {plural}\\n"\n\n{body}')
    return missing


if __name__ == "__main__":
    for language in ("fr", "ru"):
        for missing in update(language):
            sys.stdout.write(f"{language}: {missing!r}\n")
