"""The television: whatever is told stands there whole, in every language, however long the names are."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Held, Screens, settled
from tests.browser.gallery import hanging, staged
from tests.conftest import RunCornet

SIZES = "of => [...document.querySelectorAll(of)].map(each => parseFloat(getComputedStyle(each).fontSize))"
BOXES = "all => all.map(each => JSON.stringify(each.getBoundingClientRect()))"


def test_eight_players_with_long_names_all_stand_on_the_television(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    names = [f"Maximilienne de la Tour {number}" for number in range(8)]
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/tv", 1366, 768, still=True)
        for game in ("vingt-six", "quatorze", "vingt-cinq", "421", "thousand"):
            cornet.ask("/api/games", {"game": game, "players": names})
            settled(page, cornet.ask("/api/state")["turned"])
            expect(page.locator("#sheet")).to_contain_text(names[-1])
            for part in ("#sheet", "#turn"):
                assert page.locator(part).evaluate("each => each.scrollHeight <= each.clientHeight"), (game, part)
            assert page.locator("#turn .who").evaluate("each => each.scrollWidth <= each.clientWidth"), game
            # Found and measured at once: the sheet is drawn anew when the chances come.
            sizes = page.evaluate(SIZES, ".scores tbody th")
            assert sizes or game == "thousand", game
            assert all(size > 768 / 40 for size in sizes), (game, sizes)
            cornet.ask("/api/games/current", method="DELETE")


def test_the_television_shows_a_result_for_a_while_then_invites_and_is_back_with_the_next_game(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        # Asked for while nobody plays; the game has begun before the stream tells of anything.
        nobody = screens.open(f"{cornet.address}/healthz", 1920, 1080, still=True)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        begun = cornet.ask("/api/state")
        cornet.ask("/api/games/current", method="DELETE")
        nobody.add_init_script(staged(begun))
        # The machine knows of nothing that the page was not told.
        nobody.route("**/healthz", lambda route: route.fulfill(json={"boot": begun["boot"], "seq": begun["seq"]}))
        nobody.clock.install()
        nobody.goto(f"{cornet.address}/tv")
        nobody.clock.run_for(1000)
        scene, attract = nobody.locator("#scene"), nobody.locator("#attract")
        expect(scene).to_be_visible()
        expect(attract).to_be_hidden()
        won = {**begun["game"], "finished": True, "turn": None, "result": {"winner": "Ana"}}
        nobody.evaluate("state => tell(state)", {**begun, "game": won, "offers": []})
        expect(scene.locator(".who")).to_have_text("Ana wins")
        # In one leap: what is asked of the machine meanwhile is answered in true time.
        nobody.clock.fast_forward(121_000)
        expect(attract).to_be_visible()
        expect(scene).to_be_hidden()
        nobody.evaluate("state => tell(state)", begun)
        expect(scene.locator(".who")).to_have_text("Ana")
        expect(attract).to_be_hidden()
        calibrating = {**begun, "game": None, "last": None, "machine": {"phase": "calibrating", "fault": None}}
        nobody.evaluate("state => tell(state)", calibrating)
        expect(scene.locator(".who")).to_have_text("The cornet is being calibrated")


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_the_television_tells_whole_what_came_of_a_game_and_what_the_machine_does(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    names = ["Marguerite-Marie", "Jean-Baptiste-Ma", "Bo"]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": names})
        begun = cornet.ask("/api/state")
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(begun))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#turn .who")).to_have_text(names[0])
        page.locator("body[data-seq]").wait_for()
        result = {"rounds": {names[0]: 1, names[1]: 1, names[2]: 0}}
        over = {"game": {**begun["game"], "finished": True, "turn": None, "result": result}, "offers": []}
        calibrating = {"game": None, "machine": {"phase": "calibrating", "fault": None}}
        for state, said in (over, names[1]), (calibrating, "alibr|алибр"):
            page.evaluate("state => tell(state)", {**begun, **state})
            expect(page.locator("#turn .who")).to_have_text(re.compile(said))
            for part in ("#turn", "#turn .who"):
                assert page.locator(part).evaluate("each => each.scrollHeight <= each.clientHeight + 1"), (part, said)
                assert page.locator(part).evaluate("each => each.scrollWidth <= each.clientWidth"), (part, said)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (820, 1180)])
def test_the_records_of_the_day_all_stand_on_the_television(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, width: int, height: int
) -> None:
    games = ("vingt-six", "quatorze", "vingt-cinq", "421", "thousand")
    best = [{"game": game, "player": "Maximilienne de la Tour d’Auvergne", "best": 121} for game in games]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/language/ru?to=/healthz", width, height, still=True)
        day = {"throws": 1234, "games": 31, "records": best}
        page.route("**/api/history/day", lambda route: route.fulfill(json=day))
        page.clock.install()
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#attract .joining, #attract .titles").first).to_be_visible()
        page.clock.run_for(13_000)
        expect(page.locator("#attract .board li")).to_have_count(5)
        places = "all => all.map(each => each.getBoundingClientRect()).flatMap(({right, bottom}) => [right, bottom])"
        sides = page.locator("#attract .board :is(li, b, span, em)").evaluate_all(places)
        assert max(sides[::2]) <= width
        assert max(sides[1::2]) <= height


def test_the_television_breaks_no_number_and_tells_whole_what_came_of_the_dice(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/tv", 1366, 768, still=True)
        page.add_init_script(staged(cornet.ask("/api/state")))
        page.reload()
        page.locator("body[data-seq]").wait_for()
        scene = page.locator("#scene")
        cornet.ask("/api/games", {"game": "thousand", "players": ["Marguerite", "Анна", "Jean-Baptiste", "Bo"]})
        state = cornet.ask("/api/state")
        rich = {**state["game"], "scores": dict.fromkeys(state["game"]["players"], 1000)}
        page.evaluate("state => tell(state)", {**state, "game": rich})
        expect(scene.locator(".column .score")).to_have_text(["1000"] * 4)
        for score in scene.locator(".column .score").all():
            assert score.evaluate("each => each.scrollWidth <= each.clientWidth")
            assert score.evaluate("each => each.clientHeight < 1.5 * parseFloat(getComputedStyle(each).fontSize)")
        # What is called out beside the dice is told whole.
        names = ["Maximilienne de la Tour d’Auvergne", "Александра Константиновна Преображенская"]
        cornet.ask("/api/games/current", method="DELETE")
        cornet.ask("/api/games", {"game": "421", "players": names})
        cornet.ask("/api/throw", {})
        state = cornet.at_rest()
        took = {"event": "take", "player": names[0], "winner": names[1], "combination": "421", "fiches": 7}
        log = [*state["game"]["log"], took]
        page.evaluate("state => tell(state)", {**state, "game": {**state["game"], "log": log}})
        call = scene.locator("#call")
        expect(call).to_have_text(f"{names[0]} takes 7 fiches; {names[1]} was best with 421.")
        assert call.evaluate("each => each.scrollHeight <= each.clientHeight + 1")


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_the_sheet_of_421_and_what_a_player_may_do_stand_whole_however_many_fiches_there_are(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    names = ["Jean", "Anna", "Bo"]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": names, "options": {"version": "21", "charge_throws": 3}})
        begun = cornet.ask("/api/state")
        table = {**begun["game"]["table"], "phase": "decharge", "pot": 0, "leader": "Bo", "withdrawn": ["Jean"]}
        table |= {"done": [{"player": "Bo", "combination": "443", "throws": 3, "fiches": 3}], "dice": [6, 6, 4]}
        turn = {**begun["game"]["turn"], "player": "Anna", "legal": ["keep", "le_bon", "stop"]}
        scores = dict(zip(names, (0, 3, 18), strict=True))
        late = {**begun, "game": {**begun["game"], "table": table, "turn": turn, "scores": scores}}
        odds = {"players": {name: {"win": 0.33} for name in names}}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(late))
        page.route("**/api/odds", lambda route: route.fulfill(json=odds))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .chance", has_text="%")).to_have_count(3)
        # In the décharge the throws of a hand do not add up, whatever they do in the charge.
        expect(page.locator("#sheet .hands b")).to_have_text(re.compile(r" 1$"))
        summed = {**late["game"], "table": {**table, "phase": "charge"}}
        page.evaluate("state => tell(state)", {**late, "game": summed})
        expect(page.locator("#sheet .hands b")).to_have_text(re.compile(r" 3$"))
        page.evaluate("state => tell(state)", late)
        expect(page.locator("#sheet .chance", has_text="%")).to_have_count(3)
        for part in ("#sheet", "#sheet tbody th", "#turn .who", "#turn .due"):
            wide = page.locator(part).evaluate_all("all => all.map(each => each.scrollWidth - each.clientWidth)")
            assert max(wide) <= 0, part
        assert page.locator("#turn, #sheet").evaluate_all(
            "all => all.every(each => each.scrollHeight <= each.clientHeight + 1)"
        )


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_what_is_said_behind_a_long_name_is_whole_beside_fiches_and_chances(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    names = ["Marguerite", "Анна", "Jean-Baptiste", "Bo"]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": names, "options": {"version": "41"}})
        begun = cornet.ask("/api/state")
        table = {**begun["game"]["table"], "leader": "Jean-Baptiste", "pot": 34}
        scores = dict(zip(names, (0, 2, 5, 0), strict=True))
        turn = {**begun["game"]["turn"], "player": "Jean-Baptiste"}
        late = {**begun, "game": {**begun["game"], "table": table, "turn": turn, "scores": scores}}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1920, 1080, still=True)
        page.add_init_script(staged(late))
        odds = {"players": {name: {"win": 0.6} for name in names}}
        page.route("**/api/odds", lambda route: route.fulfill(json=odds))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .chance", has_text="%")).to_have_count(4)
        names_shown = page.locator("#sheet tbody th")
        # One pixel too little and three dots stand for the end of a word.
        assert names_shown.evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_six_players_of_421_stand_whole_with_the_best_and_the_worst_of_the_coup(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    names = ["Александра", "Jean-Baptiste", "Marguerite", "Bo", "محمد", "Zoé"]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": names, "options": {"version": "41"}})
        begun = cornet.ask("/api/state")
        hands = zip(names[:5], ("421", "221", "653", "554", "221"), strict=True)
        done = [{"player": player, "combination": made, "throws": 1, "fiches": 1} for player, made in hands]
        table = {**begun["game"]["table"], "done": done, "leader": "Jean-Baptiste", "pot": 11}
        scores = dict(zip(names, (0, 20, 3, 7, 0, 0), strict=True))
        late = {**begun, "game": {**begun["game"], "table": table, "scores": scores}}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(late))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .hands .name")).to_have_count(5)
        assert hanging(page) == []
        marks = page.locator("#sheet .hands .name").evaluate_all(
            "all => all.map(each => getComputedStyle(each, '::before').content[1])"
        )
        assert "".join(mark or "-" for mark in marks).replace("o", "-") == "▲--▼-"


@pytest.mark.parametrize(
    ("language", "said"), [("fr", "autres joueurs"), ("en", "more players"), ("ru", "ещё .* игрок")]
)
def test_of_more_players_than_there_is_room_for_those_stand_there_who_move_lead_and_have_most(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str, said: str
) -> None:
    names = [f"Jean-Baptiste {number}" for number in range(32)]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": names, "options": {"version": "41"}})
        begun = cornet.ask("/api/state")
        done = [{"player": player, "combination": "221", "throws": 1, "fiches": 1} for player in names[:28]]
        table = {**begun["game"]["table"], "done": done, "leader": names[20]}
        scores = {**begun["game"]["scores"], names[31]: 9}
        turn = {**begun["game"]["turn"], "player": names[28]}
        late = {**begun, "game": {**begun["game"], "table": table, "scores": scores, "turn": turn}}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(late))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .others")).to_have_text(re.compile(said))
        for number in (20, 28, 31):
            expect(page.locator("#sheet tbody bdi", has_text=names[number])).to_be_visible()
        assert page.locator("#sheet").evaluate("each => each.scrollHeight <= each.clientHeight")
        assert hanging(page) == []
        assert all(size > 720 / 60 for size in page.evaluate(SIZES, ".scores tbody th"))


@pytest.mark.parametrize("players", [3, 5, 8])
@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_the_columns_of_thousand_hold_names_chances_and_what_was_told_before(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, players: int, language: str
) -> None:
    names = ["Jean-Baptiste", "Marguerite", "Анна", "Александра", "Bo", "Zoé", "Ana", "Luc"][:players]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "thousand", "players": names})
        begun = cornet.ask("/api/state")
        lost = {"event": "bust", "player": names[0], "points": 65, "busts": 1}
        wrote = [{"event": "bank", "player": name, "score": 5 * n} for n in range(1, 7) for name in names]
        late = {**begun, "game": {**begun["game"], "log": [*begun["game"]["log"], *wrote, lost, lost, lost]}}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(late))
        odds = {"players": {name: {"win": 0.18} for name in names}}
        page.route("**/api/odds", lambda route: route.fulfill(json=odds))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .chance", has_text="%")).to_have_count(players)
        over = page.locator("#sheet, #sheet h3, #sheet .chance, #tale .said").evaluate_all(
            "all => all.filter(each => each.scrollWidth > each.clientWidth + 1"
            " || each.scrollHeight > each.clientHeight + 2).map(each => each.textContent)"
        )
        assert over == []
        assert page.locator("#sheet").evaluate("each => each.scrollHeight <= each.clientHeight")
        assert all(size >= 720 / 63 for size in page.evaluate(SIZES, "#sheet .chance, #sheet .marks, #sheet s"))
        # The latest of what was crossed out stands in every column.
        assert page.locator("#sheet .column:has(s)").count() == players
        tops = page.locator("#sheet .score").evaluate_all("all => all.map(each => each.offsetTop)")
        assert players > 3 or len(set(tops)) == 1


def test_a_television_that_loses_the_machine_says_so_at_its_foot(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/tv", 1280, 720, still=True)
        expect(page.locator("#turn .who")).to_have_text("Ana")
    expect(page.locator("#connection")).to_be_visible()
    top = page.locator("#connection").evaluate("each => each.getBoundingClientRect().top")
    assert top > page.locator("#turn").evaluate("each => each.getBoundingClientRect().bottom")


def test_how_to_join_stands_on_the_television_as_soon_as_the_bartender_has_chosen_it(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        nobody = cornet.ask("/api/state")
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        begun = cornet.ask("/api/state")
        page = screens.open(f"{cornet.address}/healthz", 1280, 720, still=True)
        page.add_init_script(staged(begun))
        place = {"url": "http://cornet.local/play", "words": "cornet.local", "code": None}
        page.route("**/api/join", lambda route: route.fulfill(json=place))
        # What does not come through is asked again.
        page.route("**/api/join", lambda route: route.abort(), times=1)
        # The welcome stands until the slide behind it is known.
        page.route("**/api/history/day", lambda route: None)
        page.goto(f"{cornet.address}/tv")
        for part, state in ("#tale", begun), ("#attract", nobody):
            place["code"] = None
            page.evaluate("state => tell(state)", {**state, "seats": {"joining": "open", "list": []}})
            expect(page.locator(f"{part} .joining")).to_contain_text("cornet.local")
            place["code"] = "F7K2QX"
            page.evaluate("state => tell(state)", {**state, "seats": {"joining": "code", "list": []}})
            expect(page.locator(f"{part} .joining")).to_contain_text("F7K2QX")
            page.evaluate("state => tell(state)", {**state, "seats": {"joining": "locked", "list": []}})
            expect(page.locator(f"{part} .joining")).to_have_count(0)
        expect(page.locator("#attract .titles")).to_be_visible()


def test_a_game_that_is_over_leaves_nobody_a_chance(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        begun = cornet.ask("/api/state")
        page = screens.open(f"{cornet.address}/healthz", 1280, 720, still=True)
        page.add_init_script(staged(begun))
        odds = {"players": {"Ana": {"win": 0.16}, "Bo": {"win": 0.84}}}
        page.route("**/api/odds", lambda route: route.fulfill(json=odds))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .chance")).to_have_text(["16%", "84%"])
        over = {**begun["game"], "finished": True, "turn": None, "result": {"winner": "Ana"}}
        page.evaluate("state => tell(state)", {**begun, "game": over, "turned": begun["turned"] + 1})
        expect(page.locator("#turn .who")).to_have_text("Ana wins")
        expect(page.locator("#sheet .chance")).to_have_count(0)


def test_chances_that_come_late_bring_back_nothing_that_was_told_before(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        begun = cornet.ask("/api/state")
        odds = {"players": {"Ana": {"win": 0.16}, "Bo": {"win": 0.84}}}
        page = screens.open(f"{cornet.address}/healthz", 1280, 720, still=True)
        page.add_init_script(staged(begun))
        later = {**begun["game"], "scores": {"Ana": 3, "Bo": 9}}
        over = {**begun["game"], "finished": True, "turn": None, "result": {"winner": "Ana"}}
        for told, chances in (later, ["16%", "84%"]), (over, []), (None, []):
            asked = Held(page, "**/api/odds")
            page.goto(f"{cornet.address}/tv")
            waiting = asked.next()
            page.evaluate("state => tell(state)", {**begun, "game": told})
            before = page.locator("#sheet .score").all_text_contents()
            places = page.locator("#sheet td, #sheet .sum").evaluate_all(BOXES)
            with page.expect_response("**/api/odds"):
                waiting.fulfill(json=odds)
            page.evaluate("new Promise(requestAnimationFrame)")
            expect(page.locator("#sheet .chance")).to_have_text(chances)
            assert page.locator("#sheet .score").all_text_contents() == before
            assert page.locator("#sheet td, #sheet .sum").evaluate_all(BOXES) == places
            page.unroute("**/api/odds")


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_at_the_end_of_a_bank_game_the_television_tells_what_came_of_the_last_turn(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    names = ["Marguerite-Marie", "Jean-Baptiste"]
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "quatorze", "players": names, "options": {"bet_mode": "free"}})
        cornet.ask("/api/actions", {"action": {"do": "bet", "chips": 2}})
        cornet.ask("/api/throw", {})
        thrown = cornet.at_rest()
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(thrown))
        place = {"url": "http://cornet.local/play", "words": "cornet.local:8080", "code": "F7K2QX"}
        page.route("**/api/join", lambda route: route.fulfill(json=place))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#tale .joining")).to_be_visible()
        win = {"event": "win", "player": names[1], "total": 14, "odds": 4, "stake": 2, "due": 8, "paid": 8}
        lost = {"event": "lose", "player": names[1], "total": 9, "stake": 2}
        broke = {"event": "out_of_chips", "player": names[1]}
        ends = {"event": "game_end", "game": 1, "complete": True, "net": dict(zip(names, (8, -8), strict=True))}
        for came, said in ([win], r"\s8\s"), ([lost], r"\s2\s"), ([lost, broke], names[1]):
            log = [*thrown["game"]["log"], *came, ends]
            over = {"finished": True, "turn": None, "result": {"winners": names[:1]}, "log": log}
            page.evaluate("state => tell(state)", {**thrown, "game": {**thrown["game"], **over}})
            expect(page.locator("#turn .due")).to_have_text(re.compile("over|finie|окончена"))
            expect(page.locator("#tale .said")).to_contain_text(re.compile(said))
            # Of a turn that comes no more the sheet has nothing.
            expect(page.locator("#sheet > *")).to_have_count(1)
            expect(page.locator("#sheet .scores tbody tr")).to_have_count(2)
            assert hanging(page) == []


@pytest.mark.parametrize("names", [["Élodie", "Борис"], ["Marguerite", "Анна", "Jean-Baptiste", "Bo", "Zoé", "Luc"]])
@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_what_is_said_behind_a_name_takes_a_second_line_where_one_is_too_short(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str, names: list[str]
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": names, "options": {"version": "21"}})
        begun = cornet.ask("/api/state")
        lost = {"losers": names[:2], "withdrawn": names[1:], "leader": names[1], "manche": 2, "pot": 0}
        late = {**begun["game"], "table": {**begun["game"]["table"], **lost, "phase": "decharge"}}
        late["scores"] = {**late["scores"], names[0]: 14, names[1]: 7}
        result = {"losers": names[:2], "grand_perdant": None, "rounds": {name: name in names[:2] for name in names}}
        over = {**late, "finished": True, "turn": None, "result": result}
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged(begun))
        odds = {"players": {name: {"win": 0.5} for name in names}}
        page.route("**/api/odds", lambda route: route.fulfill(json=odds))
        page.goto(f"{cornet.address}/tv")
        for game, chances in (late, len(names)), (over, 0):
            page.evaluate("state => tell(state)", {**begun, "game": game})
            expect(page.locator("#sheet .chance", has_text="%")).to_have_count(chances)
            assert hanging(page) == []
            assert all(size > 720 / 45 for size in page.evaluate(SIZES, "#sheet tbody th"))


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (820, 1180)])
def test_the_cornet_stands_whole_on_the_television_before_the_first_throw(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, width: int, height: int
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/tv", width, height, still=True)
        expect(page.locator("#picture .cup")).to_be_visible()
        box = "each => { const { top, bottom } = each.getBoundingClientRect(); return [top, bottom]; }"
        assert hanging(page) == []
        _, bottom = page.locator("#picture .cup").evaluate(box)
        below = [page.locator(part).evaluate(box)[0] for part in ("#dice", "#foot") if page.locator(part).is_visible()]
        assert bottom <= min(below)
        cornet.ask("/api/throw", {})
        expect(page.locator("#dice .die.counted")).to_have_count(3)
        assert hanging(page) == []


@pytest.mark.parametrize("language", ["fr", "en", "ru"])
def test_the_address_at_which_a_phone_joins_stands_whole_beside_the_picture(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, language: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/language/{language}?to=/healthz", 1280, 720, still=True)
        place = {"url": "http://cornet.local/play", "words": "192.168.178.131:8080", "code": "F7K2QX"}
        page.route("**/api/join", lambda route: route.fulfill(json=place))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#tale .joining")).to_contain_text("192.168.178.131:8080")
        assert hanging(page) == []
        assert page.evaluate(SIZES, "#tale .joining b")[0] > 720 / 60


def test_a_dollar_in_a_name_stands_in_a_rampeau_as_it_was_written(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ca$$h", "$&"]})
        begun = cornet.ask("/api/state")
        rampeau = {"for": "best", "players": ["Ca$$h", "$&"], "done": []}
        game = {**begun["game"], "table": {**begun["game"]["table"], "rampeau": rampeau}}
        page = screens.open(f"{cornet.address}/healthz")
        page.add_init_script(staged({**begun, "game": game}))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .sum")).to_have_text("Rampeau for the best: Ca$$h and $&")


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1280, 1024), (1280, 800)])
def test_the_story_stands_beside_the_picture_however_high_the_screen(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, width: int, height: int
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        cornet.at_rest()
        page = screens.open(f"{cornet.address}/tv", width, height, still=True)
        expect(page.locator("#tale li")).to_be_visible()
        assert hanging(page) == []


def test_at_the_end_of_421_each_player_is_told_to_pay_or_not(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo", "Cy"]})
        begun = cornet.ask("/api/state")
        table = {**begun["game"]["table"], "phase": "over", "withdrawn": ["Bo", "Cy"], "losers": ["Bo", "Ana"]}
        result = {"losers": ["Bo", "Ana"], "grand_perdant": None, "rounds": {"Ana": 1, "Bo": 1, "Cy": 0}}
        over = {**begun["game"], "finished": True, "turn": None, "result": result, "table": table}
        page = screens.open(f"{cornet.address}/healthz")
        page.add_init_script(staged({**begun, "game": over, "offers": []}))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet .scores small")).to_have_text(["pays 1 round", "pays 1 round", "pays nothing"])


@pytest.mark.parametrize("game", ["421", "vingt-cinq"])
def test_at_the_end_of_a_game_long_names_stand_whole(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, game: str
) -> None:
    names = ["Marguerite-Louise", "Maximilienne de la Tour-Saint-Hilaire", "Wolfgang-Amadeus", "Bo"]
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": game, "players": names})
        begun = cornet.ask("/api/state")
        rounds = {name: int(name == "Bo") for name in names}
        result = {"rounds": rounds, "grand_perdant": None} if game == "421" else {"winner": "Bo"}
        scores = dict.fromkeys(names, 0) | {"Bo": 21}
        table = {**begun["game"]["table"], "phase": "over"}
        over = {**begun["game"], "finished": True, "result": result, "scores": scores, "table": table, "turn": None}
        page = screens.open(f"{cornet.address}/language/fr?to=/healthz", 1280, 720, still=True)
        page.add_init_script(staged({**begun, "game": over, "offers": []}))
        page.goto(f"{cornet.address}/tv")
        expect(page.locator("#sheet bdi")).to_have_count(4)
        assert page.locator("#sheet bdi").evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
        assert hanging(page) == []
        assert all(size > 720 / 36 for size in page.evaluate(SIZES, "#sheet tbody th"))
