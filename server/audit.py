"""The audit: the chain checked, every picture read again, every game replayed."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from calibration.keeping import kept_tray
from server.chain import BrokenLog, Event, canonical, chained
from server.evidence import Evidence, Unreadable, prepared
from server.log import FRAMES, NONSENSE, UNREADABLE, unreadable
from server.looks import LOOKS, counting, judged, row
from server.promises import Promises
from server.record import Refused, replay
from server.rules import short
from server.shapes import KINDS
from server.stage import part_of
from server.standing import NOTES, Match, Standing
from vision.picture import BrokenPicture, Image, decode
from vision.reader import VERSION as READER
from vision.reader import read
from vision.reading import Verdict, as_json
from vision.tray import BadTray

ASKED = ("game", "action", "press", "entry", "soak", "abandon", "correction", "undo")
"""What somebody asks for, and a machine that throws or is in fault does not do."""
_LEADS, _SEAT = "console|operator", "seat ([1-9][0-9]{0,15})"
_DOES = {
    **dict.fromkeys((*ASKED, *NOTES, "calibrated"), _LEADS),
    "press": f"{_LEADS}|button|house:.+|{_SEAT}",
    "action": f"{_LEADS}|house:.+|{_SEAT}",
    "dispute": f"{_LEADS}|guest|{_SEAT}",
    "seat": f"{_LEADS}|guest|{_SEAT}",
    "advice": f"{_LEADS}|{_SEAT}",
    "clear": f"{_LEADS}|commission",
}
"""Who may be said to have done what somebody does."""
_SAME_PLACE_PX = 1.0
_NAME = re.compile("[0-9a-f]{64}")
_LONGEST_REASON = 402  # its 200 letters and their quotes, were each of them written as two
_ENDING = ("game", "abandon", "throw", "entry", "correction")
"""Events after which a finished game can no longer change."""


@dataclass(slots=True)
class Audit:
    """What an audit found."""

    events: int = 0
    pictures: int = 0
    games: int = 0
    head: str = ""
    shown: dict[str, int] = field(default_factory=dict)  # pictures, and the event whose dice they show
    missing: dict[str, str] = field(default_factory=dict)  # pictures that may be so, and the last day they were named
    differences: list[str] = field(default_factory=list)
    redrawn: int = 0  # simulated throws that were drawn again from their revealed seed
    said: list[str] = field(default_factory=list)  # what people said of the readings, and what nobody can check
    by_hand: bool = True  # whether the owner allowed throws by hand, as the last boot says
    camera: str | None = None  # what looked at the dice, as the last boot says
    dice: int | None = None  # how many there must be, as it says; None where people put in what a throw needs
    cut_off: int = 0  # the press whose throw the last boot found under way
    readers: set[str] = field(default_factory=set)  # other versions of the reader that read a part of it


def audit(evidence: Evidence, seen: Callable[[Event], None] = lambda event: None) -> Audit:
    """Check everything that can be checked; `seen` is told of each event."""
    found, standing = Audit(), Standing()
    promises = Promises(found.differences, found.said)
    told = None  # the record of the game that a bundle is of
    try:
        for event in evidence.events():
            seen(event)
            found.events += 1
            _check_text(found, event, evidence.before[1])
            if not prepared(standing, event, evidence.before[0]):
                continue
            _check_look(found, event, standing, evidence.file)
            _check_place(found, event, standing)
            # A bundle does not tell who sat down before its game.
            _check_person(found, event, None if evidence.before[0] else standing)
            promises.take(event, standing)
            _tell(found, event)
            before = standing.games() if event.kind in _ENDING else []
            standing.apply(event)
            left = [match.game_id for match in standing.games()]
            for match in before:
                if match.game_id not in left:
                    told = _close_game(found, match, evidence) or told
        for match in standing.games():
            told = _close_game(found, match, evidence) or told
        found.redrawn = promises.judge(standing.seed)
        _tell_unnamed(found, promises.promised, evidence.files)
        _judge_missing(found, standing)
        if evidence.record is not None and (told is None or canonical(told) != canonical(evidence.record)):
            found.differences.append("The record in the bundle is not the game that its events tell.")
    except BrokenLog as broken:
        found.differences.append(str(broken))
    except UNREADABLE as error:
        where = f"what comes after event {found.events}"
        found.differences.append(f"The log is torn or damaged: {where} cannot be read ({unreadable(error)}).")
    except NONSENSE as error:
        # Whoever forges a chain can write anything into it.
        found.differences.append(f"Event {evidence.before[0] + found.events} cannot have happened: {error}")
    return found


def _check_text(found: Audit, event: Event, before: bytes) -> None:
    """That the chain holds the one way in which an event is written, and on to its head; `before` is the very first."""
    head, found.head = bytes.fromhex(found.head) or before, event.hash
    if chained(head, canonical({"kind": event.kind, **event.body})).hex() != event.hash:
        found.differences.append(f"Event {event.seq} is not written as Cornet writes: it may tell another reader more.")


def _close_game(found: Audit, match: Match, evidence: Evidence) -> dict[str, Any] | None:
    """Replay a game that cannot change any more from its exported record; that record, if it is the bundle's game."""
    found.games += 1
    record: dict[str, Any] = json.loads(json.dumps(match.record()))
    try:
        if match.game is None or replay(record).state() != match.game.state():
            found.differences.append(f"Game {match.game_id} replays to another state.")
    except Refused as error:
        found.differences.append(f"Game {match.game_id} cannot be replayed: {error}")
    return record if match.game_id == evidence.before[0] + 1 else None


def _judge_missing(found: Audit, standing: Standing) -> None:
    """Pictures that no cornet removes are missed; others may have made way, young ones too where room is scarce."""
    for name in [name for name in found.missing if name in standing.kept]:
        del found.missing[name]
        found.differences.append(
            f"The picture {name} of a throw that was disputed or corrected is gone; such pictures never expire."
        )


def _tell_unnamed(found: Audit, promised: Iterable[str], files: Set[str]) -> None:
    """Say how many pictures and seeds no event names: each is stored before its event, and a kill may leave one.

    However many pictures there are, they make no difference: a log that is in use may have been copied before them.
    """
    named = {f"{FRAMES}/{name}.jpg" for name in found.shown} | {f"seeds/{promise}" for promise in promised}
    others = (PurePath(path) for path in files - named)
    unnamed = Counter(path.parts[0] for path in others if _NAME.fullmatch(path.name.removesuffix(".jpg")))
    for folder, word in ((FRAMES, "picture"), ("seeds", "seed")):
        if unnamed[folder]:
            belong = f"{word} belongs" if unnamed[folder] == 1 else f"{word}s belong"
            found.said.append(
                f"{unnamed[folder]} {belong} to no event of this log: it may have been cut short or exchanged, or "
                "Cornet was killed, or wrote on, just then."
            )


def _check_place(found: Audit, event: Event, standing: Standing) -> None:
    """What an event says of those before it; `standing` is where the evening stood then."""
    body, wrong, due = event.body, "", standing.game.dice if standing.game else 0
    if event.kind not in KINDS:
        wrong = f"this Cornet knows no {short(event.kind)}"
    elif event.kind in LOOKS and (standing.press is None or body.get("press", standing.press) != standing.press):
        wrong = "it belongs to another press than the one before it, or to none"
    elif event.kind in LOOKS and body.get("needs") != standing.asked.get("needs"):
        wrong = "its press asked for another number of dice"
    elif event.kind in LOOKS and standing.press == found.cut_off:
        wrong = "its throw is void since the machine was started anew"
    elif event.kind in ("press", "entry") and body.get("needs", due) != due:
        wrong = f"the game asked for {due} dice"
    elif event.kind == "correction" and body["before"] != _faces_before(standing, body["throw"]):
        wrong = "what it corrects is not what held"
    elif event.kind == "abandon" and body["game"] != standing.game_id:
        wrong = f"the game that ran was game {standing.game_id}"
    elif event.kind == "game" and {body.get("simulated"), standing.simulates} == {True, False}:
        wrong = "it does not say the same of its dice as the boot before it"
    elif event.kind == "boot" and body.get("simulated") is (body.get("tower") == "gpio"):
        wrong = "it does not say the same of its tower twice"
    elif event.kind == "boot" and "camera" in body and (body["tower"] == "gpio") != (body["camera"] in ("pi", "usb")):
        wrong = f"no tower {short(body['tower'])} has a camera {short(body['camera'])}"
    wrong = wrong or _hindrance(event, standing)
    if event.kind == "boot":
        found.cut_off = standing.press or 0
    if wrong:
        found.differences.append(f"Event {event.seq} does not fit what came before: {wrong}.")


def _check_person(found: Audit, event: Event, standing: Standing | None) -> None:
    """That whoever is said to have done it may do such a thing, and a guest only what is his seat's to do."""
    if event.kind not in _DOES:
        return
    by = event.body.get("by", "")
    said = re.fullmatch(_DOES[event.kind], by)
    if said is None:
        found.differences.append(f"Event {event.seq} is said to be by {short(by)}, who may not do that.")
    elif said.lastindex and standing is not None and not _is_his(event, int(said[1]), standing):
        found.differences.append(f"Event {event.seq}: it was not for {by} to do that then.")


def _is_his(event: Event, number: int, standing: Standing) -> bool:
    """Whether the guest in that seat may do it where the evening stands."""
    body, seat = event.body, standing.seats.list.get(number)
    if event.kind in ("press", "action"):
        return standing.acts(number)
    if event.kind == "advice":
        return seat is not None and seat.approved and seat.player == body["player"] is not None
    # His name is his own to change; whom he plays, and whether he may, is for others to say.
    return event.kind != "seat" or (body.get("seat") == number and not body.get("approved") and "player" not in body)


def _hindrance(event: Event, standing: Standing) -> str:
    """Why the machine would not have done what somebody asked for; empty where it would."""
    fault = standing.fault[0] if standing.fault else ""
    if event.kind not in ASKED:
        return ""
    if standing.press is not None:
        return f"the throw of event {standing.press} had not ended"
    # Where the camera alone is at fault, throws may be made by hand.
    if fault and not (event.kind == "entry" and part_of(fault) == "camera"):
        return f"the machine was in fault ({short(fault)})"
    if event.kind == "game" and standing.is_playing:
        return f"game {standing.game_id} was not over"
    return ""


def _faces_before(standing: Standing, throw: int) -> object:
    """What held of a throw; None where there is no such throw that can be corrected."""
    played = standing.of(throw)
    look = played.looks[throw] if played else None
    return look and (look["corrected"] or look)["faces"]


def _check_look(found: Audit, event: Event, standing: Standing, file: Callable[[str], bytes | None]) -> None:
    """What a look says, by its words and by its picture; `standing` is where the evening stood before it."""
    if event.kind in LOOKS:
        _check_words(found, event)
        _look_again(found, event, file)
    if event.kind == "throw" and event.body.get("named") != standing.asked.get("named"):
        found.differences.append(f"Event {event.seq}: other dice counted than were named before the throw.")


def _check_words(found: Audit, event: Event) -> None:
    """What a look says of its dice must hold by itself, also where no picture is left."""
    body = event.body
    if (body["verdict"] == Verdict.OK.value) != (event.kind in ("throw", "trial")):
        found.differences.append(f"Event {event.seq} is no {short(event.kind)}: its verdict is {body['verdict']}.")
    dice, expected = body["dice"], body["expected"]
    # Of a recorded picture its own file says how many dice it shows, or nobody.
    due = expected if found.camera in (None, "frames") else found.dice or body.get("needs", expected)
    if expected != due or (body["verdict"] == Verdict.OK.value and expected not in (None, len(dice))):
        wrong = f"it has {len(dice)} dice, {short(expected)} were expected, and there must be {short(due)}"
        found.differences.append(f"Event {event.seq}: {wrong}.")
    if event.kind == "throw":
        counted = body["counted"]
        # Dice that were never pictured were once chosen by millimetres that the log did not keep.
        told = body["frame"] is not None or "mm" in dice[0]
        if told and counting(dice, body) != counted:
            found.differences.append(f"Event {event.seq}: other dice would have counted.")
        elif [dice[place]["face"] for place in counted] != body["faces"] or len({*counted}) != len(counted):
            found.differences.append(f"Event {event.seq}: {row(body['faces'])} is not what its dice show.")


def _look_again(found: Audit, event: Event, file: Callable[[str], bytes | None]) -> None:
    """Read the picture of a look again, and choose again the dice that counted."""
    body = event.body
    pictured = found.camera not in (None, "none")
    strange = found.camera is not None and (body["frame"] is not None) != pictured
    if strange or bool(body.get("source")) > (found.camera in (None, "frames")):
        found.differences.append(f"Event {event.seq}: what it says of its picture is not what the camera gives.")
    if body["frame"] is None:
        return
    try:
        image = _picture(found, event, file)
        if image is None:
            return
        tray = kept_tray(body["tray"], file) if "tray" in body else None
    except (BrokenPicture, BadTray, Unreadable) as error:
        found.differences.append(f"Event {event.seq}: {error}")
        return
    # The dice are chosen from one of its corners.
    if body["size"] != [*image.shape[1::-1]]:
        found.differences.append(f"Event {event.seq}: its picture is not as large as it says.")
    reading = judged(read(image, body["expected"], tray), body.get("needs", 0))
    again = as_json(reading)
    # That the dice still moved was seen in several frames; one picture cannot show it.
    if body["verdict"] not in (again["verdict"], Verdict.NOT_SETTLED.value):
        found.differences.append(f"Event {event.seq}: read again it is {again['verdict']}, not {body['verdict']}.")
    if not _alike(again["dice"], body["dice"]):
        faces = [" ".join(str(die["face"] or "?") for die in dice) or "none" for dice in (again["dice"], body["dice"])]
        found.differences.append(f"Event {event.seq}: read again its dice are {faces[0]}, not {faces[1]}.")
    if event.kind == "throw" and counting(again["dice"], body) != counting(body["dice"], body):
        found.differences.append(f"Event {event.seq}: other dice would have counted.")


def _picture(found: Audit, event: Event, file: Callable[[str], bytes | None]) -> Image | None:
    """The picture of a look; None where it is gone or another. BrokenPicture or Unreadable where nobody can see it."""
    name = event.body["frame"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Unreadable(f"a picture called {short(name)} cannot be read.")
    first = found.shown.setdefault(name, event.seq)
    # Recorded pictures come round again; of two looks through a camera no two are the same to the byte.
    if first != event.seq and not event.body.get("source"):
        found.differences.append(f"Event {event.seq}: its picture is that of event {first}.")
    jpeg = file(f"{FRAMES}/{name}.jpg")
    if jpeg is None:
        found.missing[name] = str(event.body["at"])[:10]
        return None
    found.pictures += 1
    if hashlib.sha256(jpeg).hexdigest() != name:
        found.differences.append(f"Event {event.seq}: its picture has been changed.")
        return None
    return decode(jpeg)


def _tell(found: Audit, event: Event) -> None:
    """Note what people said of a reading, and what the boots say of the machine."""
    body = event.body
    if event.kind == "correction":
        before, after = (row(faces) or "nothing" for faces in (body["before"], body["faces"]))
        reason = f"{short(body['reason'], _LONGEST_REASON)}, by {short(body['by'])}"
        found.said.append(
            f"Event {event.seq} corrects the throw of event {body['throw']}, {before}: {after} ({reason})."
        )
    if event.kind == "boot":
        found.by_hand, found.camera = body.get("by_hand", False), body.get("camera")
        found.dice = body.get("dice") if body.get("loading", "sealed") == "sealed" else None
        found.readers |= {str(body.get("reader", READER))} - {READER}
    if event.kind == "entry":
        if not found.by_hand:
            found.differences.append(f"Event {event.seq} was entered by hand, which the owner had not allowed.")
        found.said.append(f"Event {event.seq} was entered by hand: {row(body['faces'])}, by {short(body['by'])}.")
    if event.kind == "dispute":
        found.said.append(f"Event {event.seq} disputes the throw of event {body['throw']}, by {short(body['by'])}.")


def _alike(again: list[dict[str, Any]], before: list[dict[str, Any]]) -> bool:
    """Whether two readings have the same faces at the same places; another processor may move one by a hair."""
    return len(again) == len(before) and all(
        one["face"] == other["face"] and math.dist(one["center"], other["center"]) <= _SAME_PLACE_PX
        for one, other in zip(again, before, strict=True)
    )
