"""The pages as people use them: a game led by the bartender while the television follows."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Held, Screens, begin, move
from tests.browser.gallery import hanging, staged
from tests.conftest import RunCornet

# Where each of these texts stands in an element's only text.
PLACES = """(element, texts) => texts.map((text) => {
  const [node] = element.childNodes;
  const range = document.createRange();
  range.setStart(node, node.data.indexOf(text));
  range.setEnd(node, node.data.indexOf(text) + text.length);
  return range.getBoundingClientRect().left;
})"""
# The path of what was answered last stands in the page once the page has done with the answer.
_NOTES_ANSWERS = """
const json = Response.prototype.json;
Response.prototype.json = async function () {
  const said = await json.call(this);
  setTimeout(() => { document.body.dataset.answered = new URL(this.url).pathname; });
  return said;
};
"""
# What lies over the middle of an element.
UNDER = """each => {
  const { left, right, top, bottom } = each.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return each.contains(seen) ? null : seen.outerHTML;
}"""
HOSTILE = '<img src=x onerror="alert(1)">'
RECORDINGS = Path(__file__).parents[1] / "recordings"


def test_a_game_is_led_on_one_screen_and_its_pictures_are_followed_on_another(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--seed", "7", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        expect(television.locator("#attract .simulated")).to_have_text("Simulated dice")
        begin(operator, "Le 25", "Ana", HOSTILE, life="2")
        expect(television.locator("#turn .who")).to_have_text("Ana")
        operator.get_by_role("button", name="Throw 5 dice").click()
        expect(operator.locator("#dice .die")).to_have_count(10)
        expect(operator.locator("#dice .die.counted")).to_have_count(5)
        for screen in (operator, television):
            picture = screen.locator("#picture img")
            expect(picture).to_have_js_property("complete", True)
            assert picture.evaluate("image => image.naturalWidth") == 1456
            expect(screen.locator("#picture .mark")).to_have_count(10)
            expect(screen.locator("#picture .mark.counted")).to_have_count(5)
        first = cornet.ask("/api/state")["last"]["frame"]
        while (frame := cornet.ask("/api/state")["last"]["frame"]) == first:
            move(operator)
        for screen in (operator, television):
            expect(screen.locator("#picture img")).to_have_attribute("src", f"/frames/{frame}.jpg")
        expect(television.locator("#sheet")).to_contain_text(HOSTILE)
        assert television.locator("#sheet img").count() == 0


def test_the_picture_of_a_refused_throw_shows_which_die_leans(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path
) -> None:
    frames, six = tmp_path / "frames", tmp_path / "six.toml"
    frames.mkdir()
    shutil.copy(RECORDINGS / "studio_1456_31_00004.jpg", frames)
    six.write_text("dice = 6\n")
    with run_cornet(tmp_path / "data", "--camera", f"frames:{frames}", "--config", str(six)) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        begin(operator, "Le 25", "Ana", "Bo", life="2")
        operator.get_by_role("button", name="Throw 5 dice").click()
        expect(operator.locator("#picture .mark.refused")).to_have_count(6)
        expect(operator.locator("#picture .mark.amiss")).to_have_text("6")


def test_the_bartender_sees_what_the_camera_sees_now(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--seed", "7", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        now, box = operator.locator("#camera"), operator.get_by_text("What the camera sees now")
        box.click()
        expect(now).to_be_visible()
        first = now.get_attribute("src")
        assert now.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1456
        # It is asked for again: no two pictures of a camera are the same.
        expect(now).not_to_have_attribute("src", first or "")
        # Whoever opens the box again is not shown what was seen before.
        operator.route("**/api/camera.jpg", lambda route: None)
        for _ in range(2):
            box.click()
        expect(now).to_be_hidden()
        operator.route(
            "**/api/camera.jpg", lambda route: route.fulfill(status=409, json={"error": "The camera is gone."})
        )
        for _ in range(2):
            box.click()
        expect(operator.locator("#camera-answer")).to_have_text("The camera is gone.")
        expect(now).to_be_hidden()


def test_a_reload_and_a_restart_come_back_to_the_same_turn(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    words = ("--camera", "none", "--seed", "7", "--config", quick)
    with run_cornet(tmp_path, *words) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        begin(operator, "Le Vingt-Six", "Ana", "Bo")
        operator.locator("body[data-game=running]").wait_for()
        for _ in range(3):
            move(operator)
        sheet = operator.locator("#sheet").inner_text()
        operator.reload()
        expect(operator.locator("#sheet")).to_have_text(re.compile("Le Vingt-Six"))
        assert operator.locator("#sheet").inner_text() == sheet
        operator.close()
    with run_cornet(tmp_path, *words) as cornet:
        again = screens.open(f"{cornet.address}/operator")
        expect(again.locator("#sheet")).to_have_text(re.compile("Le Vingt-Six"))
        assert again.locator("#sheet").inner_text() == sheet


def test_a_wrong_option_and_a_void_game_are_answered_in_words(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        operator.on("dialog", lambda dialog: dialog.accept())
        begin(operator, "Le 25", "Ana", "Ana")
        expect(operator.locator("#answer")).to_contain_text("same name")
        operator.locator("#players input").last.fill("Bo")
        operator.get_by_role("button", name="Start").click()
        operator.get_by_role("button", name="Void this game").click()
        expect(operator.locator("#turn .who")).to_have_text("The game was voided.")


def test_of_two_players_none_can_be_taken_out(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        out = operator.get_by_role("button", name="Take this player out")
        expect(out).to_have_count(2)
        expect(out.first).to_be_disabled()
        operator.get_by_role("button", name="Add a player").click()
        out.first.click()
        expect(out).to_have_count(2)
        expect(out.last).to_be_disabled()


def test_barrels_that_cannot_be_read_are_told_in_the_words_of_the_form(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/language/fr?to=/operator")
        operator.get_by_text("Le Mille", exact=True).click()
        operator.get_by_text("Options", exact=True).click()
        barrels = operator.locator("[name=barrels]")
        said = re.compile("ainsi\\s: 200-300, 600-700")
        for text in ("abc", "200", "200-", "200-300 600-700"):
            barrels.fill(text)
            barrels.blur()
            expect(operator.locator("#options-answer")).to_have_text(said)
        operator.get_by_role("button", name="Commencer").click()
        expect(operator.locator("#answer")).to_have_text(said)
        barrels.fill("200 - 300; 600-700,")
        barrels.blur()
        expect(operator.locator("#options-answer")).to_have_text("")
        operator.get_by_role("button", name="Commencer").click()
        expect(operator.locator("body")).to_have_attribute("data-game", "running")
        assert cornet.ask("/api/state")["game"]["options"]["barrels"] == [[200, 300], [600, 700]]


def test_the_usual_options_are_those_of_as_many_players_as_stand_in_the_form(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        # The bank of Le Vingt-Six: 50 chips for up to four players, 20 more for each further one.
        bank = operator.locator("[name=bank_chips]")
        expect(bank).to_have_attribute("placeholder", "50")
        for _ in range(3):
            operator.get_by_role("button", name="Add a player").click()
        expect(bank).to_have_attribute("placeholder", "70")
        operator.get_by_role("button", name="Take this player out").last.click()
        expect(bank).to_have_attribute("placeholder", "50")
        # After a game the same people stand there again.
        before = cornet.ask("/api/state")
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo", "Cyr", "Dov", "Eve", "Fay"]})
        state = cornet.ask("/api/state")
        over = {**state["game"], "finished": True, "turn": {**state["game"]["turn"], "legal": []}}
        later = screens.open(f"{cornet.address}/healthz")
        later.add_init_script(staged(before))
        later.goto(f"{cornet.address}/operator")
        bank = later.locator("[name=bank_chips]")
        expect(bank).to_have_attribute("placeholder", "50")
        later.evaluate("state => tell(state)", {**state, "game": {**over, "result": {"winner": "Bo"}}})
        expect(bank).to_have_attribute("placeholder", "90")


def test_a_page_that_missed_a_moment_presses_for_the_turn_that_there_is_and_a_refusal_draws_it_anew(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        state = cornet.ask("/api/state")
        page = screens.open(f"{cornet.address}/healthz", 820, 1180)
        page.add_init_script(staged(state))
        page.goto(f"{cornet.address}/operator")
        expect(page.locator("#moves .main")).to_be_visible()
        # The same player has the same choice again: nothing of it looks otherwise.
        later = {**state, "seq": state["seq"] + 3_000_000, "turned": state["turned"] + 3_000_000}
        page.evaluate("state => tell(state)", later)
        with page.expect_request("**/api/actions") as asked:
            page.locator("#moves .main").click()
        assert json.loads(asked.value.post_data or "")["expected_seq"] == later["turned"]
        page.route("**/api/joining", lambda route: route.fulfill(status=409, json={"error": "No game is running."}))
        page.get_by_text("Nobody new").click()
        expect(page.locator("#answer")).to_have_text("No game is running.")
        expect(page.locator("#joining input:checked")).to_have_value("open")


def test_what_was_asked_before_and_is_granted_late_hides_no_refusal(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/healthz", 820, 1180)
        page.add_init_script(staged(cornet.ask("/api/state")))
        page.add_init_script(_NOTES_ANSWERS)
        page.goto(f"{cornet.address}/operator")
        waiting = Held(page, "**/api/actions")
        page.route("**/api/joining", lambda route: route.fulfill(status=409, json={"error": "No game is running."}))
        page.locator("#moves .main").click()
        first = waiting.next()
        page.get_by_text("Nobody new").click()
        expect(page.locator("#answer")).to_have_text("No game is running.")
        first.fulfill(json={})
        expect(page.locator("body")).to_have_attribute("data-answered", "/api/actions")
        expect(page.locator("#answer")).to_have_text("No game is running.")
        # What is asked next is asked without it.
        page.locator("#moves .main").click()
        expect(page.locator("#answer")).to_be_empty()
        waiting.next().fulfill(status=409, json={"error": "A throw is under way."})
        expect(page.locator("#answer")).to_have_text("A throw is under way.")


@pytest.mark.parametrize(("width", "height"), [(820, 1180), (390, 844)])
def test_why_something_is_refused_is_seen_beside_what_was_pressed_however_long_the_page(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, width: int, height: int
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/operator", width, height)
        refused = page.locator("#answer")

        def stays(pressed: Locator) -> None:
            expect(refused).to_be_in_viewport(ratio=1)
            expect(pressed).to_be_in_viewport(ratio=1)
            expect(pressed).to_be_focused()
            # The browser may yet move the page, for a moment.
            page.wait_for_function(f"!({UNDER})(document.activeElement)")

        begin(page, "421", "Ana", "ana")
        expect(refused).to_have_text("Two players have the same name; give each a name of their own.")
        stays(page.get_by_role("button", name="Start"))
        for who in ("Bo", "Cyr"):
            guest = screens.open(f"{cornet.address}/play", 360, 640)
            guest.get_by_label("Your name at the table").fill(who)
            guest.get_by_role("button", name="Sit down").click()
        name = page.get_by_label("Name of Cyr")
        # It stands where the sentence comes.
        name.evaluate("each => scrollBy(0, each.getBoundingClientRect().top)")
        name.fill("Bo")
        name.press("Enter")
        expect(refused).to_have_text("Bo is here already; choose another name.")
        stays(page.get_by_label("Name of Cyr"))
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        page.get_by_role("button", name="Nothing of it can be read").click()
        expect(refused).to_be_empty()
        page.route("**/api/corrections", lambda route: route.fulfill(status=409, json={"error": "It is too late."}))
        page.get_by_role("button", name="Take the throw out").click()
        expect(refused).to_have_text("It is too late.")
        stays(page.get_by_role("button", name="Take the throw out"))


def test_phones_and_calibration_say_a_refusal_on_the_screen_too(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        phone = screens.open(f"{cornet.address}/play", 360, 640)
        phone.get_by_label("Your name at the table").fill("Ana")
        phone.get_by_role("button", name="Sit down").click()
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        phone.get_by_text("Read wrong?").click()
        phone.route("**/api/disputes", lambda route: route.fulfill(status=409, json={"error": "That is no throw."}))
        phone.get_by_role("button", name="This throw is wrong").click()
        expect(phone.locator("#answer")).to_have_text("That is no throw.")
        expect(phone.locator("#answer")).to_be_in_viewport(ratio=1)
        page = screens.open(f"{cornet.address}/healthz", 390, 844)
        steps = [{"step": step, "picture": False, "at": None, "came": None} for step in ("lens", "floor", "motor")]
        standing = {"steps": steps, "running": None, "undo": None}
        page.route("**/api/calibration", lambda route: route.fulfill(json=standing))
        page.route("**/api/calibration/motor", lambda route: route.fulfill(status=409, json={"error": "Not now."}))
        page.goto(f"{cornet.address}/operator/calibration")
        page.get_by_role("button", name="Begin").last.click()
        expect(page.locator("#answer")).to_have_text("Not now.")
        expect(page.locator("#answer")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("screen", ["operator", "play"])
def test_what_was_refused_stands_there_until_the_next_turn(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, screen: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        state = cornet.ask("/api/state")
        page = screens.open(f"{cornet.address}/healthz")
        page.add_init_script(staged(state))
        mine = {"id": 1, "name": "Ana", "approved": True, "player": 0}
        me = {"role": "guest", "token": "", "pin": False, "seat": mine}
        page.route("**/api/me", lambda route: route.fulfill(json=me))
        page.route("**/api/throw", lambda route: route.fulfill(status=409, json={"error": "A throw is under way."}))
        page.goto(f"{cornet.address}/{screen}")
        page.locator("#moves .throw").click()
        expect(page.locator("#answer")).to_have_text("A throw is under way.")
        page.evaluate("state => tell(state)", {**state, "seq": state["seq"] + 1})
        expect(page.locator("#answer")).to_have_text("A throw is under way.")
        page.evaluate("state => tell(state)", {**state, "seq": state["seq"] + 2, "turned": state["turned"] + 2})
        expect(page.locator("#answer")).to_be_empty()


def test_what_was_refused_for_a_step_of_calibration_is_said_until_the_step_has_ended(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/healthz")
        step = {"step": "light", "picture": False, "at": None, "came": None}
        standing: dict[str, Any] = {"steps": [step], "running": None, "undo": None}
        page.route("**/api/calibration", lambda route: route.fulfill(json=standing))
        page.route("**/api/calibration/light", lambda route: route.fulfill(status=409, json={"error": "Wait for it."}))
        page.goto(f"{cornet.address}/operator/calibration")
        page.get_by_role("button", name="Begin").click()
        standing["running"] = {"step": "light", "taken": 0, "of": None, "do": None}
        expect(page.locator("#light progress")).to_be_visible()
        expect(page.locator("#answer")).to_have_text("Wait for it.")
        standing["running"] = None
        expect(page.get_by_role("button", name="Begin")).to_be_visible()
        expect(page.locator("#answer")).to_be_empty()


def test_a_step_of_calibration_runs_on_though_an_older_answer_comes_late_and_what_came_of_it_is_said(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/healthz")
        step = {"step": "dice", "picture": False, "at": None, "came": None}
        idle = {"steps": [step], "running": None, "undo": None}
        running = {**idle, "running": {"step": "dice", "taken": 0, "of": None, "do": "Wait."}}
        waiting = Held(page, "**/api/calibration")
        page.route("**/api/calibration/dice", lambda route: route.fulfill(status=202, json=running))
        page.goto(f"{cornet.address}/operator/calibration")
        waiting.next().fulfill(json=idle)
        asked_before = waiting.next()
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#said")).to_have_text("Wait.")
        # What was asked before it began is answered now; when it is asked again, that has been read.
        asked_before.fulfill(json=idle)
        asked_since = waiting.next()
        assert page.locator("#dice progress").is_visible()
        ended = {**step, "came": {"done": False, "message": "The dice were not seen.", "figures": {}}}
        asked_since.fulfill(json={**idle, "steps": [ended]})
        expect(page.locator("#said")).to_have_text("The dice were not seen.")


def test_what_is_typed_for_a_set_of_dice_stays_while_other_steps_go_on_and_its_name_is_there_already(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        page = screens.open(f"{cornet.address}/healthz")
        at = "2026-11-29T10:00:00+00:00"
        failed = {"done": False, "message": "The dice were not seen.", "figures": {}}
        steps: list[dict[str, Any]] = [
            {"step": name, "picture": False, "at": at, "came": None} for name in ("light", "dice")
        ]
        standing: dict[str, Any] = {"steps": steps, "running": None, "undo": None, "set": "bone"}
        page.route("**/api/calibration", lambda route: route.fulfill(json=standing))
        page.goto(f"{cornet.address}/operator/calibration")
        expect(page.locator("#dice [name=set]")).to_have_value("bone")
        page.locator("#dice [name=names]").fill("red, blue")
        standing["running"] = {"step": "light", "taken": 0, "of": 6, "do": "", "looks": 0}
        expect(page.locator("#light progress")).to_be_visible()
        expect(page.locator("#dice [name=names]")).to_have_value("red, blue")
        standing["running"] = None
        steps[1]["came"] = failed
        expect(page.locator("#dice .came")).to_have_text("The dice were not seen.")
        expect(page.locator("#dice [name=names]")).to_have_value("red, blue")
        expect(page.locator("#dice .dim").last).to_contain_text("is still in force")


def test_the_form_of_a_new_game_is_shown_when_it_can_be_sent(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/healthz")
        asked = Held(operator, "**/api/games")
        operator.goto(f"{cornet.address}/operator")
        expect(operator.locator("#turn .who")).to_have_text("Nobody plays")
        expect(operator.locator("#start")).to_be_hidden()
        asked.next().continue_()
        expect(operator.locator("#games input")).to_have_count(5)
        expect(operator.locator("#start")).to_be_visible()


def test_why_the_settings_or_the_doctor_are_refused_stands_where_they_would(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        for path in ("settings", "doctor"):
            operator.route(f"**/api/{path}", lambda route: route.fulfill(status=409, json={"error": "Not now."}))
            operator.locator(f"#{path}-box summary").click()
            expect(operator.locator(f"#{path}-box .answer")).to_have_text("Not now.")
            operator.unroute(f"**/api/{path}")
            for _ in range(2):
                operator.locator(f"#{path}-box summary").click()
            expect(operator.locator(f"#{path} b, #{path} dt").first).to_be_visible()
            expect(operator.locator(f"#{path}-box .answer:visible")).to_have_count(0)


def test_a_figure_in_a_sentence_of_the_machine_has_the_marks_of_the_language(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        gone = "The camera gave no picture within 2.5 s: unplug it, plug it in, then clear the fault."
        machine = {
            "phase": "fault",
            "fault": {"name": "camera-lost", "message": gone, "part": "camera", "clears": True},
        }
        television = screens.open(f"{cornet.address}/language/fr?to=/healthz")
        state = {**cornet.ask("/api/state"), "machine": machine}
        television.add_init_script(staged(state))
        television.goto(f"{cornet.address}/tv")
        expect(television.locator("#picture .fault")).to_contain_text("2,5")


def test_players_without_a_name_are_called_as_the_form_says(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        operator.get_by_role("button", name="Add a player").click()
        operator.get_by_role("button", name="Take this player out").first.click()
        operator.get_by_role("button", name="Add a player").click()
        fields = operator.locator("#players input")
        expected = ["Player 1", "Player 2", "Player 3"]
        assert [field.get_attribute("placeholder") for field in fields.all()] == expected
        assert [field.get_attribute("aria-label") for field in fields.all()] == expected
        operator.get_by_role("button", name="Start").click()
        expect(operator.locator("#sheet tbody th")).to_have_count(3)
        assert cornet.ask("/api/state")["game"]["players"] == expected


def test_a_name_that_is_written_from_right_to_left_leaves_what_stands_beside_it_where_it_was(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["محمد", "Ana"]})
        phone = screens.open(f"{cornet.address}/healthz", 390, 844)
        odds = {"players": {"محمد": {"win": 0.71}, "Ana": {"win": 0.29}}}
        phone.route("**/api/odds", lambda route: route.fulfill(json=odds))
        phone.goto(f"{cornet.address}/play")
        phone.get_by_text("Chances to win").click()
        name, share, said = phone.locator("#more li").first.evaluate(PLACES, ["محمد", "71", "% to win"])
        assert name < share < said
        phone.goto(f"{cornet.address}/history")
        first, last = phone.locator("#games .names").evaluate(PLACES, ["محمد", "Ana"])
        assert first < last


@pytest.mark.parametrize(
    ("screen", "mark", "width"),
    [("tv", "Simulated dice", 1280), ("play", "Simulated", 320), ("operator", "Simulated", 390)],
)
def test_a_game_with_simulated_throws_is_marked_on_a_real_cornet_too(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, screen: str, mark: str, width: int
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        real = {**cornet.ask("/api/state"), "simulated": False, "simulated_throws": False}
        page = screens.open(f"{cornet.address}/healthz", width, 720, still=True)
        page.add_init_script(staged(real))
        page.goto(f"{cornet.address}/{screen}")
        expect(page.locator("#turn .who")).to_have_text("Ana")
        badge = page.locator(".simulated")
        expect(badge).to_have_count(0)
        page.evaluate("state => tell(state)", {**real, "simulated_throws": True})
        expect(badge).to_have_text(mark)
        expect(badge).to_be_in_viewport()
        assert hanging(page) == []
        page.evaluate("state => tell(state)", real)
        expect(badge).to_have_count(0)


def test_the_history_of_a_running_game_tells_each_throw_and_learns_of_what_is_played_meanwhile(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--camera", "none", "--seed", "7", "--config", quick) as cornet:
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        state = cornet.at_rest()
        page = screens.open(f"{cornet.address}/healthz")
        page.clock.install()
        page.goto(f"{cornet.address}/history/{state['game_id']}")
        # A throw of Le 25 leaves no line in the log of the game.
        expect(page.locator("#told")).to_have_text(f"Ana: {' '.join(map(str, state['last']['faces']))}.")
        expect(page.locator("#nth")).to_have_text("1 / 1")
        cornet.ask("/api/actions", {"action": {"do": "keep", "dice": state["offers"][0]["dice"]["one_of"][0]}})
        told = f"**/api/history/{state['game_id']}"
        page.route(told, lambda route: route.fulfill(status=503, json={"error": "The log cannot be read."}), times=1)
        with page.expect_response(told):
            page.clock.run_for(5_000)
        # Which says nothing of the game; it is asked for again.
        with page.expect_response(told):
            page.clock.run_for(5_000)
        expect(page.locator("#nth")).to_have_text("1 / 2")
        page.get_by_role("button", name="Forward").click()
        expect(page.locator("#told")).to_contain_text("Ana sets aside")


def test_after_a_game_the_same_one_is_offered_to_the_same_people(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path
) -> None:
    by_hand = tmp_path / "hand.toml"
    by_hand.write_text('tumble_s = 0.0\nby_hand = "yes"\n')
    with run_cornet(tmp_path, "--camera", "none", "--config", str(by_hand)) as cornet:
        operator = screens.open(f"{cornet.address}/operator")
        operator.get_by_label("Player 1").fill("Zoe")
        options = {"life": 20, "attack_again": True}
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": options})
        cornet.ask("/api/entries", {"faces": [6, 6, 6, 6, 6]})
        cornet.ask("/api/actions", {"action": {"do": "keep", "dice": [6, 6, 6, 6, 6]}})
        for faces in ([5, 5, 5, 5, 4], [4]):
            cornet.ask("/api/entries", {"faces": faces})
        later = screens.open(f"{cornet.address}/operator")
        for page in (later, operator):
            expect(page.get_by_label("Le 25")).to_be_checked()
            expect(page.locator("[name=life]")).to_have_value("20")
            expect(page.locator("[name=attack_again]")).to_have_value("true")
        operator.get_by_role("button", name="Start").click()
        expect(operator.locator("body")).to_have_attribute("data-game", "running")
        again = cornet.ask("/api/state")
        assert (again["game"]["players"], again["options"]) == (["Ana", "Bo"], options)
        # Barrels are said as they are written.
        cornet.ask("/api/games/current", method="DELETE")
        barrels = {"preset": "home", "barrels": [[200, 300], [600, 700]]}
        cornet.ask("/api/games", {"game": "thousand", "players": ["Ana", "Bo"], "options": barrels})
        state = cornet.ask("/api/state")
        turn = {**state["game"]["turn"], "legal": []}
        over = {**state["game"], "finished": True, "turn": turn, "result": {"winner": "Ana"}}
        won = screens.open(f"{cornet.address}/healthz")
        won.add_init_script(staged({**state, "game": over, "offers": []}))
        won.goto(f"{cornet.address}/operator")
        expect(won.locator("[name=preset]")).to_have_value("home")
        expect(won.locator("[name=barrels]")).to_have_value("200-300, 600-700")
