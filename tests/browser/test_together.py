"""Several people at one table: a television, two phones, a bartender, each in a browser of its own."""

import re
import socket
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server.web.caps import STREAMS_AN_ADDRESS
from tests.browser.conftest import ADDRESS, Screens, by_keys
from tests.browser.test_past import won
from tests.conftest import RunCornet, Running

HOSTILE = "<b onclick=1>Z"
# A name that is mapped to this machine's address: whoever comes by it is a guest, in the insecure context of phones.
GUEST = f"{socket.gethostname().lower()}.local"


def of_guest(cornet: Running, path: str) -> str:
    return cornet.address.replace("127.0.0.1", GUEST) + path


def of_console(cornet: Running, path: str) -> str:
    return cornet.address.replace("0.0.0.0", "127.0.0.1") + path


def sit_down(screens: Screens, cornet: Running, name: str) -> Page:
    phone = screens.open(of_guest(cornet, "/play"), 360, 640, still=True)
    phone.get_by_label("Your name at the table").fill(name)
    phone.get_by_role("button", name="Sit down").click()
    expect(phone.locator("#me")).to_have_text(name)
    return phone


# The news of a seat may overtake the answer that brings its cookie; what is asked without it is here answered last.
NEWS_FIRST = """
const real = window.fetch;
const signal = () => { let give; const given = new Promise((done) => { give = done; }); return { given, give }; };
const early = signal(), late = signal();
let sitting = false;
addEventListener("submit", () => { sitting = true; }, true);
window.fetch = async (path, options) => {
  if (path === "/api/seats") {
    const answer = await real(path, options);
    await early.given;
    return answer;
  }
  if (path !== "/api/me" || !sitting) return real(path, options);
  sitting = false;
  early.give();
  const answer = await real(path, { credentials: "omit" });
  await late.given;
  const body = await answer.arrayBuffer();
  setTimeout(() => { document.body.dataset.older = "answered"; });
  return { ok: answer.ok, status: answer.status, headers: answer.headers, arrayBuffer: () => body };
};
document.addEventListener("DOMContentLoaded", () => {
  new MutationObserver(() => late.give()).observe(document.getElementById("me"), { childList: true });
});
"""


# A stream that is opened from now on is noted.
COUNTED = """() => {
  EventSource = class extends EventSource {
    constructor(path) { super(path); document.body.dataset.opened = "yes"; }
  };
}"""

# What a guest may ask for although no page of ours offers it.
RENAME = 'async (name) => (await import("/static/ask.js")).ask("PATCH", "/api/seats/mine", { name })'


# The search for one game is answered when the one for another, asked after it, is shown.
OLDER_LAST = """
const real = window.fetch;
let give;
const shown = new Promise((done) => { give = done; });
window.fetch = async (path, options) => {
  const answer = await real(path, options);
  const kind = path.startsWith("/api/history?") && new URLSearchParams(path.split("?")[1]).get("game");
  if (!kind) return answer;
  const body = await answer.arrayBuffer();
  if (kind === "quatorze") await shown;
  // What the page makes of an answer is done before the next turn of its loop.
  const read = () => setTimeout(kind === "421" ? give : () => { document.body.dataset.older = "answered"; });
  const { ok, status, headers } = answer;
  return { ok, status, headers, arrayBuffer: async () => { read(); return body; } };
};
"""


@pytest.fixture
def words(quick: str) -> tuple[str, ...]:
    return ("--host", "0.0.0.0", "--camera", "none", "--seed", "7", "--config", quick)


def test_a_doubt_is_corrected_by_two_taps_and_everybody_sees_it(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        phone.get_by_role("button", name="Throw 5 dice").click()
        expect(phone.locator("#picture .doubt .face")).to_have_count(10)
        before = cornet.ask("/api/state")["last"]
        face = before["dice"][before["counted"][0]]["face"]
        by_keys(phone.locator("#picture summary"))
        by_keys(phone.get_by_role("button", name=f"This {face} is wrong").first)
        expect(phone.locator("#said")).to_contain_text("Somebody says that this reading is wrong")
        expect(bartender.locator("#picture .disputed")).to_have_text(f"A guest says that this was read wrong: {face}")
        expect(bartender.locator("#said")).to_have_text(
            re.compile(rf"A guest says that this was read wrong: {face}\. Ana: set dice aside")
        )
        # What everybody in the room is shown is what holds until it is corrected.
        expect(television.locator("#said")).not_to_contain_text("wrong")
        bartender.locator("#dice button").first.click()
        bartender.locator("#mend .pick button").first.click()
        expect(television.locator("#tale .corrected")).to_contain_text("The camera read it wrong")
        after = cornet.ask("/api/state")["last"]
        assert after["corrected"]["faces"][0] != before["faces"][0]
        assert after["corrected"]["faces"][1:] == before["faces"][1:]
        expect(phone.locator("#picture .corrected")).to_be_visible()


def test_more_phones_than_an_address_has_streams_sit_down_and_see_each_throw(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    # Behind a router that hides who is who, every phone of the room comes from one address.
    names = [f"Guest {number}" for number in range(1, STREAMS_AN_ADDRESS + 3)]
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phones = [sit_down(screens, cornet, name) for name in names]
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": names})
        phones[0].get_by_role("button", name="Throw 5 dice").click()
        for phone in phones:
            expect(phone.locator("#picture .doubt .face")).to_have_count(10)
            expect(phone.locator("#connection")).to_be_hidden()


def test_a_correction_may_be_doubted_and_a_throw_of_a_voided_game_may_not(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        throw = cornet.at_rest()["last"]["event"]
        cornet.ask("/api/corrections", {"throw": throw, "faces": [4, 2, 1], "reason": "The camera read it wrong"})
        expect(phone.locator("#picture .corrected")).to_be_visible()
        by_keys(phone.locator("#picture summary"))
        by_keys(phone.get_by_role("button", name="This throw is wrong"))
        expect(phone.locator("#picture .disputed")).to_contain_text("Somebody says that this reading is wrong")
        expect(bartender.locator("#picture .disputed")).to_have_text("A guest says that this reading is wrong.")
        cornet.ask("/api/games/current", method="DELETE")
        expect(phone.locator("body")).to_have_attribute("data-game", "none")
        expect(phone.locator("#picture .caption")).to_be_visible()
        expect(phone.locator("#picture .doubt")).to_have_count(0)


def test_a_correction_keeps_what_was_corrected_before_it_and_is_closed_with_its_turn(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        last = cornet.at_rest()["last"]
        really = [7 - face for face in last["faces"]]
        cornet.ask("/api/corrections", {"throw": last["event"], "faces": really, "reason": "All three were wrong"})
        expect(bartender.locator("#picture")).to_contain_text("All three were wrong")
        # The last of those that do not count.
        bartender.locator("#dice button").last.click()
        bartender.locator("#mend .pick button").first.click()
        expect(bartender.locator("#mend")).to_be_hidden()
        assert cornet.ask("/api/state")["last"]["corrected"]["faces"] == really
        bartender.locator("#dice button").first.click()
        expect(bartender.locator("#mend")).to_be_visible()
        cornet.ask("/api/games/current", method="DELETE")
        expect(bartender.locator("#mend")).to_be_hidden()


def test_of_a_throw_that_was_taken_out_nothing_is_corrected_or_doubted(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        expect(phone.locator("#picture .doubt")).to_have_count(1)
        bartender.get_by_role("button", name="Nothing of it can be read").click()
        bartender.get_by_role("button", name="Take the throw out").click()
        expect(bartender.locator("#picture")).to_contain_text("Corrected")
        expect(bartender.get_by_role("button", name="Nothing of it can be read")).to_have_count(0)
        expect(phone.locator("#picture .corrected")).to_be_visible()
        expect(phone.locator("#picture .doubt")).to_have_count(0)


def test_a_die_that_the_camera_missed_is_shown_on_every_screen_whether_it_counts_or_not(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str
) -> None:
    with run_cornet(tmp_path, "--host", "0.0.0.0", "--seed", "7", "--config", quick) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        television = screens.open(f"{cornet.address}/tv", 1920, 1080)
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        last = cornet.at_rest()["last"]
        seen, (wide, high) = [die["face"] for die in last["dice"]], last["size"]
        # The dice that count are those nearest to the lower left corner.
        for center, counts in (([wide, 0], False), ([0, high], True)):
            what = {"throw": last["event"], "dice": [*seen, {"face": 6, "center": center}], "reason": "One was hidden"}
            cornet.ask("/api/corrections", what)
            assert (10 in cornet.ask("/api/state")["last"]["corrected"]["counted"]) == counts
            expect(bartender.locator("#dice .die")).to_have_count(11)
            expect(bartender.locator("#dice button")).to_have_count(10)
            expect(television.locator("#rest .die")).to_have_count(8)
            expect(television.locator("#tale .corrected")).to_contain_text("One was hidden")
            expect(phone.locator("#picture .corrected")).to_be_visible()
            expect(phone.locator("#picture .doubt .face")).to_have_count(10)


def test_a_seat_is_shown_though_an_older_question_is_answered_last(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = screens.open(of_guest(cornet, "/play"), 360, 640)
        phone.add_init_script(NEWS_FIRST)
        phone.reload()
        phone.get_by_label("Your name at the table").fill("Ana")
        phone.get_by_role("button", name="Sit down").click()
        expect(phone.locator("#me")).to_have_text("Ana")
        expect(phone.locator("body")).to_have_attribute("data-older", "answered")
        expect(phone.locator("#me")).to_have_text("Ana")


def test_a_guest_is_here_from_when_he_sits_down_and_by_another_name_too(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        phone = sit_down(screens, cornet, "Ana")
        expect(bartender.locator("#guests .presence")).to_have_text("here")
        assert cornet.ask("/healthz")["watchers"] == 2
        # What brings the new name also brings the news after it: one stream is enough.
        phone.evaluate(COUNTED)
        phone.evaluate(RENAME, "Bo")
        expect(phone.locator("#me")).to_have_text("Bo")
        expect(phone.locator("body[data-opened]")).to_have_count(0)
        # Who gave his seat back and takes one again is here again.
        phone.on("dialog", lambda dialog: dialog.accept())
        phone.get_by_role("button", name="Give the seat back").click()
        phone.get_by_role("button", name="Take a seat").click()
        phone.get_by_role("button", name="Sit down").click()
        expect(bartender.locator("#guests .presence")).to_have_text("here")


def test_a_newcomer_is_shown_although_the_bartender_has_touched_a_name(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        bartender = screens.open(of_console(cornet, "/operator"))
        sit_down(screens, cornet, "Ana")
        name = bartender.get_by_label("Name of Ana")
        name.click()
        sit_down(screens, cornet, "Bo")
        expect(bartender.get_by_label("Name of Bo")).to_be_visible()
        expect(name).to_be_focused()
        name.press("End")
        sit_down(screens, cornet, "Di")
        expect(bartender.get_by_label("Name of Di")).to_be_visible()
        assert name.evaluate("each => each.selectionStart") == len("Ana")
        # But nobody's typing is swept away.
        name.press_sequentially("bel")
        sit_down(screens, cornet, "Cyr")
        came = cornet.ask("/api/state")["seq"]
        bartender.wait_for_function("came => Number(document.body.dataset.seq) >= came", arg=came)
        expect(name).to_have_value("Anabel")
        name.press("Enter")
        expect(bartender.get_by_label("Name of Anabel")).to_be_visible()
        expect(bartender.get_by_label("Name of Cyr")).to_be_visible()


def test_a_guest_who_changes_his_name_waits_until_he_is_let_in_by_it(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Zed")
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        bartender.get_by_label("I let everybody in").check()
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Zed", "Bo"]})
        throw = phone.get_by_role("button", name="Throw 5 dice")
        expect(throw).to_be_visible()
        phone.evaluate(RENAME, "Ana")
        expect(phone.locator("#turn")).to_contain_text("The bartender still has to let you in.")
        expect(throw).to_have_count(0)
        bartender.get_by_role("button", name="Let in").click()
        expect(throw).to_be_visible()


def test_the_last_search_is_shown_though_an_older_one_is_answered_last(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        cornet.ask("/api/games", {"game": "quatorze", "players": ["Ana", "Bo"]})
        page = screens.open(f"{cornet.address}/history")
        page.add_init_script(OLDER_LAST)
        page.reload()
        expect(page.locator("#games a")).to_have_count(1)
        for kind in ("quatorze", "421"):
            page.locator("#kind").select_option(kind)
        expect(page.locator("body")).to_have_attribute("data-older", "answered")
        expect(page.locator("#games .empty")).to_be_visible()


def test_older_games_are_of_the_search_that_is_shown(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        cornet.ask("/api/games", {"game": "421", "players": ["Ana", "Bo"]})
        many = {**cornet.ask("/api/history"), "more": True}
        page = screens.open(f"{cornet.address}/healthz")
        page.route("**/api/history?*", lambda route: route.fulfill(json=many))
        page.goto(f"{cornet.address}/history")
        expect(page.locator("#games a")).to_have_count(1)
        # Typed, but not searched for.
        page.get_by_label("Player").fill("Cyr")
        with page.expect_request("**/api/history?*") as asked:
            page.get_by_role("button", name="Older games").click()
        assert "Cyr" not in asked.value.url


def test_a_phone_keeps_its_seat_through_reload_sleep_and_restart_and_two_hands_throw_once(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with run_cornet(tmp_path, *words, "--port", port) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Ana")
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        phone.reload()
        expect(phone.locator("#me")).to_have_text("Ana")
        both = [page.get_by_role("button", name="Throw 5 dice") for page in (phone, bartender)]
        for button in both:
            expect(button).to_be_enabled()
        # Neither waits for what the other one did.
        for hand in [button.element_handle() for button in both]:
            hand.evaluate("button => button.click()")
        expect(phone.locator("#moves .keeping")).to_be_visible()
        assert len(cornet.ask("/api/state")["throws"]) == 1
        assert len(cornet.ask("/api/state")["seats"]["list"]) == 1
    with run_cornet(tmp_path, *words, "--port", port) as cornet:
        # The stream comes back by itself; another start loads the page anew, and the seat is the same.
        cornet = cornet._replace(address=of_console(cornet, ""))
        boot = cornet.ask("/api/state")["boot"]
        expect(phone.locator("body")).to_have_attribute("data-boot", boot, timeout=20_000)
        expect(phone.locator("#moves .keeping")).to_be_visible()
        expect(phone.locator("#me")).to_have_text("Ana")
        phone.locator("#moves .keeping .main").click()
        expect(phone.get_by_role("button", name=re.compile("Throw"))).to_be_visible()


@pytest.mark.skipif(ADDRESS == "127.0.0.1", reason="this machine has no address but its own loop: nobody is a guest")
def test_the_bartender_opens_the_page_with_the_pin_and_is_told_that_somebody_guesses_it(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        put = urllib.request.Request(f"{cornet.address}/api/pin", data=b'{"pin": "271828"}', method="PUT")
        with urllib.request.urlopen(put, timeout=30):
            pass
        tablet = screens.open(of_guest(cornet, "/operator"), 820, 1180)
        tablet.get_by_label("The PIN of the house").fill("000000")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.locator("#answer")).to_have_text("That is not the PIN.")
        tablet.get_by_label("The PIN of the house").fill("271828")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.locator("#start-title")).to_be_visible()
        guest = screens.open(of_guest(cornet, "/operator"), 360, 640)
        assert guest.evaluate("document.documentElement.scrollWidth <= innerWidth")
        guest.get_by_label("The PIN of the house").fill("111111")
        for _ in range(5):
            # A tap while the last one is being answered would be the same request.
            guest.get_by_role("button", name="Open").click()
            expect(guest.locator("#answer")).not_to_be_empty()
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        expect(bartender.locator("#lights .warn", has_text="5 wrong PINs in the last hour")).to_be_visible()


@pytest.mark.skipif(ADDRESS == "127.0.0.1", reason="this machine has no address but its own loop: nobody is a guest")
def test_the_page_that_asks_for_the_pin_outlives_a_restart(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with run_cornet(tmp_path, *words, "--port", port) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        cornet.ask("/api/pin", {"pin": "271828"}, "PUT")
        tablet = screens.open(of_guest(cornet, "/operator"), 820, 1180)
        tablet.get_by_label("The PIN of the house").fill("000000")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.locator("#answer")).to_have_text("That is not the PIN.")
    with run_cornet(tmp_path, *words, "--port", port):
        tablet.get_by_label("The PIN of the house").fill("271828")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.locator("#start-title")).to_be_visible()


@pytest.mark.skipif(ADDRESS == "127.0.0.1", reason="this machine has no address but its own loop: nobody is a guest")
@pytest.mark.parametrize(
    ("path", "pressed"),
    [
        ("/operator", "Throw 5 dice"),
        ("/operator", "Settings of the machine"),
        ("/operator", "What a check of all parts finds"),
        ("/operator", "What the camera sees now"),
        ("/operator", "Set the PIN"),
        ("/operator/calibration", "Begin"),
        ("/operator/calibration", None),
    ],
)
def test_a_bartender_whose_session_has_ended_is_told_so_and_asked_for_the_pin(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, quick: str, path: str, pressed: str | None
) -> None:
    camera = "rendered" if pressed == "What the camera sees now" else "none"
    with run_cornet(tmp_path, "--host", "0.0.0.0", "--camera", camera, "--config", quick) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        cornet.ask("/api/pin", {"pin": "271828"}, method="PUT")
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        tablet = screens.open(of_guest(cornet, path), 820, 1180)
        pin, ended = tablet.get_by_label("The PIN of the house"), tablet.get_by_text("Your session has ended")
        button = tablet.locator("main :is(button, summary)", has_text=pressed or "Begin").first
        expect(pin).to_be_visible()
        expect(ended).to_have_count(0)
        pin.fill("271828")
        tablet.get_by_role("button", name="Open").click()
        if pressed is None:
            # Nothing need be pressed where the page asks by itself.
            expect(tablet.locator("#steps li")).to_have_count(6)
        elif pressed == "Set the PIN":
            tablet.get_by_text("PIN for phones and tablets").click()
            tablet.get_by_label("New PIN").fill("161803")
        else:
            expect(button).to_be_visible()
        cornet.ask("/api/pin", {"pin": "314159"}, method="PUT")
        if pressed is not None:
            button.click()
        expect(ended).to_be_visible()
        pin.fill("314159")
        tablet.get_by_role("button", name="Open").click()
        expect(tablet.get_by_role("heading", name="Calibration" if "calibration" in path else "House")).to_be_visible()


def test_who_watches_is_told_why_a_game_or_a_seat_is_gone(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        phone = sit_down(screens, cornet, "Cy")
        television = screens.open(f"{cornet.address}/tv", 1280, 720, still=True)
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        won(cornet)
        cornet.ask("/api/games", {"game": "421", "players": ["Cy", "Di"]})
        expect(phone.locator("#turn .who")).to_have_text("Your turn")
        throw = cornet.ask("/api/state")["earlier"]["throws"][-1]["event"]
        misread = {"throw": throw, "faces": [5, 5, 5, 5, 4], "reason": "The camera read it wrong"}
        cornet.ask("/api/corrections", misread)
        begun_since = "This game goes on after all; the one begun since is void."
        expect(television.locator("#tale li")).to_have_text(begun_since)
        expect(phone.locator("#picture")).to_contain_text(begun_since)
        cornet.ask("/api/games/current", method="DELETE")
        for page in (television, phone, bartender):
            expect(page.locator("#turn .who")).to_have_text("The game was voided.")
        expect(television.locator("#turn .due")).to_have_text("It counts for nothing.")
        expect(television.locator("#foot .simulated")).to_be_visible()
        (seat,) = cornet.ask("/api/state")["seats"]["list"]
        expect(phone.locator("#freed")).to_be_hidden()
        cornet.ask(f"/api/seats/{seat['id']}", method="DELETE")
        expect(phone.locator("#freed")).to_have_text("Your seat was freed.")
        phone.reload()
        expect(phone.locator("#freed")).to_be_visible()
        phone.get_by_label("Your name at the table").fill("Cy")
        phone.get_by_role("button", name="Sit down").click()
        expect(phone.locator("#me")).to_have_text("Cy")
        expect(phone.locator("#freed")).to_be_hidden()


def test_a_die_that_does_not_count_leaves_what_counts_unmarked_where_it_is_put_right(
    run_cornet: RunCornet, screens: Screens, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with run_cornet(tmp_path, *words) as cornet:
        cornet = cornet._replace(address=of_console(cornet, ""))
        pages = {path: screens.open(f"{cornet.address}{path}", 1280, 720, still=True) for path in ("/tv", "/play")}
        bartender = screens.open(f"{cornet.address}/operator", 820, 1180)
        cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        cornet.ask("/api/throw", {})
        look = cornet.at_rest()["last"]
        dice = [die["face"] for die in look["dice"]]
        other = next(place for place in range(len(dice)) if place not in look["counted"])
        dice[other] = 7 - dice[other]
        misread = {"throw": look["event"], "dice": dice, "reason": "The camera read it wrong"}
        cornet.ask("/api/corrections", misread)
        expect(pages["/tv"].locator("#tale .corrected")).to_have_text(
            "A die that does not count was corrected: The camera read it wrong"
        )
        expect(pages["/tv"].locator("#foot .mended")).to_have_count(0)
        for page in (pages["/play"], bartender):
            expect(page.locator("#picture strong.corrected")).to_have_text("a die that does not count was corrected")
        expect(bartender.locator("#history .corrected")).to_have_count(0)
        dice[look["counted"][0]] = 7 - dice[look["counted"][0]]
        cornet.ask("/api/corrections", {**misread, "dice": dice})
        expect(pages["/play"].locator("#picture strong.corrected")).to_contain_text("corrected, read as")
        expect(bartender.locator("#history .corrected")).to_have_text("corrected")
        expect(pages["/tv"].locator("#foot .mended")).to_have_count(1)
