"""The languages: nothing is missing, nothing stands untranslated, and everybody is spoken to in their own."""

import errno
import gzip
import json
import re
import sqlite3
from itertools import cycle, islice
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.jslexer import tokenize
from flask.testing import FlaskClient
from jinja2 import Environment, nodes

from server.log import why_not
from server.rules import GAMES, new_game
from server.strategy import weigh
from server.strategy.outlook import UNITS as OUTCOMES
from server.web.languages import COOKIE, LANGUAGES, SOURCE, catalogue, say
from server.web.wording import AIMS, CHOICES, TITLES, UNITS
from tests.words import ROOT, Text, collect, sentences, spoken

SAID = collect()
OTHERS = sorted(LANGUAGES.keys() - {SOURCE})
GAP = re.compile(r"%\(\w+\)s|\{\w+\}")
TEMPLATES = sorted((ROOT / "server" / "web" / "templates").rglob("*.html"))
MODULES = sorted((ROOT / "server" / "web" / "static").rglob("*.js"))
NAMES = {"Cornet"}
# Of a player nobody knows whether it is he or she.
HIS = {
    "fr": r"\b(sauf|éliminé|allé|entré|absent|pour le (meilleur|pire)|le meilleur était)\b",
    "ru": r"\b(вышел|вошёл|выбыл|лучшего|худшего)\b",
}


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_says_everything_where_it_is_said_and_nothing_that_is_gone(language: str) -> None:
    messages: dict[Text, Message] = {
        (tuple(message.id) if isinstance(message.id, (tuple, list)) else message.id): message  # type: ignore[misc]
        for message in catalogue(language)
        if message.id
    }
    # By the files that say a sentence it is chosen what a page is sent.
    places = {text: {place for place, _ in message.locations} for text, message in messages.items()}
    # Only what differs: to tell two lists of a thousand sentences apart takes pytest gigabytes.
    stale = [text for text in places.keys() | SAID.keys() if places.get(text) != SAID.get(text)]
    assert sorted(map(str, stale)) == [], "run: python -m tests.words"
    for text, message in messages.items():
        string = message.string
        forms = string if isinstance(string, tuple) else (string,)
        assert len(forms) == (catalogue(language).num_plurals if isinstance(text, tuple) else 1)
        assert all(forms), text


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_fills_the_gaps_that_there_are_and_no_others(language: str) -> None:
    for message in catalogue(language):
        ids = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
        gaps = set(GAP.findall(" ".join(ids)))
        for form in message.string if isinstance(message.string, tuple) else (message.string,):
            # A form for one, or for few, may say the number in words.
            assert set(GAP.findall(str(form))) | {"%(count)s", "{n}"} == gaps | {"%(count)s", "{n}"}, message.id


def test_french_has_its_spaces_and_apostrophes() -> None:
    for message in catalogue("fr"):
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        for form in map(str, forms) if message.id else ():
            assert not re.search(r"[^\u202f][;!?](?!\w)", re.sub(r"&\w+;", "", form)), form
            assert not re.search(r"[^\u00a0\"]:", form), form
            assert not re.search(r"'|«[^\u202f]|[^\u202f]»", form), form


def test_russian_is_written_in_russian() -> None:
    ours = {"421", "«Le bon»", "{player}: «le bon».", "{player} — grand perdant", *TITLES.values()}
    for message in catalogue("ru"):
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        for form in map(str, forms) if message.id else ():
            words = GAP.sub("", form)
            assert form in ours or not re.search("[A-Za-z]{3}", words) or re.search(r"[\u0430-\u044f]", words), form


JAMMED = (
    "The cone does not turn (the encoder stood still for 0.50 s at 60% power and 1.20 A): switch off, look for what "
    "blocks it and whether the encoder's cable holds, then clear the fault."
)
NO_PINS = (
    "The pins of the tower cannot be opened (EBUSY): is another program driving them, and is this user in the group "
    "gpio?"
)
UNWELL = (
    "The Raspberry Pi does not say whether it is well (EIO): is this Raspberry Pi OS, and may this user read "
    "/dev/vcio (group video)?"
)
NEVER = (
    "Then what Ana did next (event 4: bet) could not have been: it would have been Bo's turn. A scored throw is never "
    "taken back: let the game stand, or void it as a whole."
)


def locked() -> sqlite3.Error:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "sentence",
    [
        "I see 4 dice, this throw needs 3.",
        "The log is broken at event 3: it is missing. The file is kept; have it looked at before anybody plays on.",
        "a.png is damaged: it is cut off. Take it out of the folder, or clear the fault to go on with the next.",
        "The current sensor cannot be read: install smbus2, then start again.",
        "The log is broken: what comes after event 7 cannot be read (EIO).",
        "The log is broken: its database cannot be read (EIO).",
        "The machine is in fault (jammed): A throw is under way; wait for its result.",
        JAMMED,
        NO_PINS,
        UNWELL,
        NEVER,
        '"keep" is not legal now; legal for "Ana": bet, a throw has 3 dice.',
        'The option "bet_mode" must be one of "fixed", "free", not a list of 30 entries.',
        "Set aside one die that shows 5, not [5, 5].",
        '"reason" is a text of 1 to 200 letters, not null.',
        "5 dice flat on the ground.",
        "A face looks like no number by its colours and a 5 by its edges.",
        *(
            f"It could not be written down: {why_not(error)}, then clear the fault."
            for error in (OSError(errno.ENOSPC, ""), OSError(errno.EROFS, ""), OSError(errno.EIO, "EIO"), locked())
        ),
    ],
)
def test_what_stops_a_throw_is_said_in_every_language(client: FlaskClient, language: str, sentence: str) -> None:
    with client.application.test_request_context(headers={"Cookie": f"{COOKIE}={language}"}):
        said = say(sentence)
    assert not re.search(r"\b(the|there|then|this|of|would|not|legal|must|its|whether|another|die)\b", said), said


def test_all_that_a_sentence_may_be_made_of_is_collected(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('''
"""What nobody is told."""
rows = database.execute("SELECT seq FROM events")
why = "the disk is full; free some room"
who = f"it would have been {actor}'s turn."
raise Broken(f"The log is {'empty' if empty else 'not there'}: {why or 'see the disk'} ({at:.1f} s).")
raise NotNow(f"Is the machine in fault ({fault})? {message}")
''')
    assert {*sentences(module)} == {
        "the disk is full; free some room",
        "it would have been {0}'s turn.",
        "The log is {0}: {1} ({2} s).",
        "empty",
        "not there",
        "see the disk",
        "Is the machine in fault ({0})? {1}",
    }


@pytest.mark.parametrize("language", OTHERS)
def test_what_was_given_stands_in_a_sentence_as_it_was_given(client: FlaskClient, language: str) -> None:
    given = '"true or false"'
    with client.application.test_request_context(headers={"Cookie": f"{COOKIE}={language}"}):
        assert given in say(f"{given} is not legal now; the game is over.")


@pytest.mark.parametrize("language", OTHERS)
def test_a_figure_in_a_sentence_has_the_marks_of_the_language(client: FlaskClient, language: str) -> None:
    with client.application.test_request_context(headers={"Cookie": f"{COOKIE}={language}"}):
        assert "3,7" in say("The sharpest edges are 3.7 px wide: the focus is good.")
        assert "90\u202f%" in say("The floor is lit from 90% to 110% of its median grey level, without glare.")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_text_stands_untranslated_in_a_template(path: Path) -> None:
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    tree = environment.parse(path.read_text())
    classes = {data for block in tree.find_all(nodes.Block) if block.name == "screen" for data in _data(block)}
    literal = "".join(data.data for data in _data(tree) if data not in classes)
    shown = re.sub(r"<[^>]*>", " ", re.sub(r'\b(?:aria-label|title|alt|placeholder)="([^"]*)"', r">\1<", literal))
    assert set(re.findall(r"[^\W\d_]{2,}", shown)) <= NAMES


def _data(node: nodes.Node) -> list[nodes.TemplateData]:
    return list(node.find_all(nodes.TemplateData))


def test_what_a_module_says_is_found_wherever_it_says_it() -> None:
    module = """t("one", { x: t("two") }); `${t("three")} ${tn("a die", "{n} dice", n)}`; at("five");
        tx("\\"four\\"", {});"""
    assert list(spoken(module)) == ["one", "two", "three", ("a die", "{n} dice"), '"four"']


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_text_stands_untranslated_in_a_module(path: Path) -> None:
    texts = {part for text in SAID for part in (text if isinstance(text, tuple) else (text,))}
    for token in tokenize(path.read_text()):
        if token.type not in ("string", "template_string"):
            continue
        text = re.sub(r"\$\{.*?\}+", "", token.value[1:-1].replace('\\"', '"'))
        # What a person reads begins with a capital letter, or has words with spaces between them.
        if re.match(r"[A-Z][a-z]+\b", text) or re.search(r"[a-z]{2,},? [a-z]{2,} [a-z]{2,}", text):
            assert text in texts or text in TECHNICAL, text


TECHNICAL = {"Cornet", "Content-Type", "Enter", "Escape", "Space", "ArrowLeft", "ArrowRight"}


def test_every_choice_and_every_game_has_words() -> None:
    assert TITLES.keys() == AIMS.keys() == GAMES.keys()
    for game in GAMES.values():
        for option in game.OPTIONS:
            choices = getattr(option, "choices", None)
            assert choices is None or set(choices) == CHOICES[option.name].keys()


@pytest.mark.parametrize(
    ("preferred", "chosen", "spoken"),
    [
        ("", "", "en"),
        ("de-DE,de;q=0.9", "", "en"),
        ("fr-CA,en;q=0.5", "", "fr"),
        ("uk;q=0.9,ru;q=0.8", "", "ru"),
        ("ru", "fr", "fr"),
        ("ru", "klingon", "ru"),
        ("fr;q=0, en;q=0.1", "", "en"),
        ("fr;q=0", "", "en"),
    ],
)
def test_everybody_is_spoken_to_in_their_own(client: FlaskClient, preferred: str, chosen: str, spoken: str) -> None:
    if chosen:
        client.set_cookie("cornet_language", chosen)
    page = client.get("/", headers={"Accept-Language": preferred}).get_data(as_text=True)
    assert f'<html lang="{spoken}">' in page


@pytest.mark.parametrize(
    ("back", "where"),
    [
        ("/tv", "/tv"),
        ("/rules/421?x=1", "/rules/421?x=1"),
        ("//evil.example", "/"),
        ("/\\evil", "/"),
        ("http://x", "/"),
    ],
)
def test_a_choice_is_kept_and_leads_back(client: FlaskClient, back: str, where: str) -> None:
    answer = client.get("/language/ru", query_string={"to": back})
    assert (answer.status_code, answer.headers["Location"]) == (302, where)
    assert "Телевизор" in client.get("/").get_data(as_text=True)
    assert client.get("/language/xx").status_code == 404


def test_the_pages_modules_get_the_same_catalogue(client: FlaskClient) -> None:
    answer = client.get("/words/ru.json")
    words = answer.get_json()
    assert words["{n} point"] == ["{n} очко", "{n} очка", "{n} очков"]
    assert words["The lid is open"] == "Крышка открыта"
    assert not any("%(" in text for text in words)
    television = client.get("/words/ru.json?page=tv").get_json()
    assert television.items() < words.items()
    assert {"The lid is open", "{n} point", "A die leans; its top face is not decided."} <= television.keys()
    assert (
        not {
            "Let in",
            "That is not the PIN.",
            "How many dice are in the cornet; every one of them is thrown every time.",
        }
        & television.keys()
    )
    again = client.get("/words/ru.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    packed = client.get("/words/ru.json", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == answer.headers["Vary"] == "Accept-Encoding"
    assert json.loads(gzip.decompress(packed.data)) == words
    assert 3 * len(packed.data) < len(answer.data)
    assert client.get("/words/en.json").status_code == 404


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/rules/chess", "Il n’y a pas de règles d’un tel jeu dans cette maison."),
        ("/frames/x.jpg", "Il n’y a pas de telle image."),
    ],
)
def test_an_error_page_speaks_too(client: FlaskClient, path: str, said: str) -> None:
    assert said in client.get(path, headers={"Accept-Language": "fr"}).get_data(as_text=True)


@pytest.mark.parametrize("game", OUTCOMES)
def test_what_odds_are_counted_in_has_words(game: str) -> None:
    assert OUTCOMES[game] in UNITS
    for players in (["Ana", "Bo"], ["Ana", "Bo", "Cyr"]):
        standing = new_game(game, players)
        thrown = cycle([5, 5, 1, 1, 2, 3, 3, 4, 6, 6, 2])
        while (weighed := weigh(standing)) is None:
            # Never the same twice: those who throw for the first turn would be level for ever.
            standing.play({"do": "throw", "dice": list(islice(thrown, standing.dice))})
        assert weighed.unit in UNITS
        assert weighed.basis in SAID
        for aim in ("careful", "bold"):
            assert (weighed := weigh(standing, aim)) is not None
            assert weighed.unit in UNITS
            assert weighed.basis in SAID


@pytest.mark.parametrize("language", OTHERS)
def test_what_the_screens_say_of_a_player_fits_a_man_and_a_woman(language: str) -> None:
    said = [message.string for message in catalogue(language) if any("/static/" in at for at, _ in message.locations)]
    assert [text for text in said if re.search(HIS[language], str(text))] == []
