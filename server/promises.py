"""What simulated dice were promised to be drawn from, and whether they were."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from firmware.simulated import SimulatedTower
from server.chain import Event
from server.chance import drawn, keeps_promise
from server.looks import LOOKS, counting, row
from server.standing import Standing


@dataclass(slots=True)
class Promises:
    """The throws that were drawn from promised seeds, to be drawn again from what was revealed.

    What an audit finds is added to `differences`, what nobody can check to `said`.
    """

    differences: list[str]
    said: list[str]
    throws: dict[int, tuple[str, int, int, list[int]]] = field(default_factory=dict)  # seed, number, dice, faces
    blind: dict[int, dict[str, Any]] = field(default_factory=dict)  # those throws that have no picture
    promised: dict[str, int] = field(default_factory=dict)  # SHA-256 of a seed: the event that first named it
    revealed: dict[str, str] = field(default_factory=dict)
    simulated: bool | None = None  # whether what draws from seeds draws the dice; None while no boot has said so
    drawing: bool = False  # whether a promise binds every throw
    exchanged: list[str] = field(default_factory=list)  # promises that gave way to another before they were kept
    unpromised: list[int] = field(default_factory=list)  # throws of simulated dice before any promise

    def take(self, event: Event, before: Standing) -> None:
        """Take in an event; `before` is where the evening stood then."""
        body = event.body
        if event.kind == "boot":
            # Recorded pictures show other dice than the simulated ones that go round meanwhile.
            self.simulated = body.get("tower") == "sim" and body.get("camera") != "frames"
            self.drawing = self.simulated and bool(self.promised)
        elif event.kind == "seed":
            if body["sha256"] in self.promised:
                self.differences.append(
                    f"Event {event.seq}: its seed was promised before, in event {self.promised[body['sha256']]}."
                )
            if before.seed is not None:
                self.exchanged.append(before.seed)
            self._promise(body["sha256"], event.seq)
        elif event.kind == "game":
            seed = body.get("seed_sha256")
            # The first game of a bundle brings a seed that was promised before it.
            if seed != before.seed and (self.drawing or None not in (seed, before.seed)):
                self.differences.append(f"Event {event.seq}: the game has another seed than was promised.")
            if seed is not None:
                self._promise(seed, event.seq)
        elif event.kind in LOOKS:
            self._look(event, before)
        elif event.kind == "correction" and body["throw"] in self.throws:
            seed, number, dice, _ = self.throws[body["throw"]]
            if body["faces"]:
                self.throws[body["throw"]] = (seed, number, dice, body["faces"])
            else:
                del self.throws[body["throw"]]
        elif event.kind == "reveal":
            if self.drawing and before.is_playing:
                self.differences.append(f"Event {event.seq}: the seed was revealed while its game was played.")
            if keeps_promise(body["seed"], body["sha256"]):
                self.revealed[body["sha256"]] = body["seed"]
            else:
                self.differences.append(f"Event {event.seq}: the seed that was revealed is not the one promised.")

    def _look(self, event: Event, before: Standing) -> None:
        body, kept = event.body, event.kind != "refused"
        if "draw" in body:
            if self.simulated is False:
                self.differences.append(
                    f"Event {event.seq}: its dice were drawn, which no seed does for such a machine."
                )
            if body["draw"] != before.draws + 1 or before.seed is None:
                self.differences.append(f"Event {event.seq}: a draw of the seed was left out, or there was no seed.")
            elif kept:
                faces = [die["face"] for die in body["dice"]]
                self.throws[event.seq] = (before.seed, body["draw"], len(faces), faces)
                if event.kind == "throw" and body["frame"] is None:
                    self.blind[event.seq] = body
        elif self.drawing:
            self.differences.append(f"Event {event.seq}: its dice were not drawn from the seed that was promised.")
        elif kept and (body["frame"] is None if self.simulated is None else self.simulated):
            self.unpromised.append(event.seq)

    def _promise(self, sha256: str, seq: int) -> None:
        self.promised.setdefault(sha256, seq)
        self.drawing = True

    def judge(self, current: str | None) -> int:
        """Draw again all that can be drawn, so many throws; a seed may stay hidden only while it is in use."""
        hidden = Counter(promise for promise, *_ in self.throws.values() if promise not in self.revealed)
        for seq, (promise, *_) in self.throws.items():
            if promise in self.revealed:
                self._draw_again(seq)
        self.differences += [
            f"The seed promised in event {self.promised.get(promise)} was never revealed: "
            + ("1 throw hangs on it." if throws == 1 else f"{throws} throws hang on it.")
            for promise, throws in hidden.items()
            if promise != current
        ]
        self._tell_lost([promise for promise in self.exchanged if promise not in hidden])
        if self.unpromised:
            self.said.append(
                f"Throws of simulated dice that hang on no promised seed: {len(self.unpromised)}, the first in event "
                f"{self.unpromised[0]}: nobody can draw them again."
            )
        return len(self.throws) - hidden.total()

    def _draw_again(self, seq: int) -> None:
        promise, number, dice, faces = self.throws[seq]
        again = drawn(self.revealed[promise], number, dice)
        body = self.blind.get(seq)
        # A picture shows the dice in another order, and a correction may name only those that counted.
        told = again if body is None else [die["face"] for die in body["dice"]]
        if told != again or Counter(faces) - Counter(again):
            shown = row(faces if told == again else told)
            self.differences.append(f"Event {seq}: its seed draws {row(again)}, not {shown}.")
        if body is not None and _counting(self.revealed[promise], body) != body["counted"]:
            self.differences.append(f"Event {seq}: other dice would have counted where its seed lets them lie.")

    def _tell_lost(self, unused: list[str]) -> None:
        if not unused:
            return
        were, them = "1 promised seed was", "it"
        if len(unused) > 1:
            were, them = f"{len(unused)} promised seeds were", "them"
        self.said.append(
            f"{were} lost before anything was thrown with {them}, the first that of event "
            f"{self.promised.get(unused[0])}: whoever may read seeds can choose among dice so."
        )


def _counting(seed: str, body: dict[str, Any]) -> list[int]:
    """The places of the dice that count in a throw without a picture: its seed also draws where they lie."""
    tower = SimulatedTower("", len(body["dice"]))
    tower.deal(bytes.fromhex(seed), body["draw"])
    tower.tumble()
    return counting([{"mm": [round(die.x_mm, 2), round(die.y_mm, 2)]} for die in tower.lying], body)
