"""Where the evening stands: always and only the replay of the log's events."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from server.log import Event
from server.record import record_of
from server.rules import Game, new_game

_KEYS_REMEMBERED = 4096
_LAST_THROWS = 10


@dataclass(slots=True)
class Standing:
    """The running game, the throw under way, the latched fault, and what was last seen."""

    game: Game | None = None
    game_id: int | None = None  # the event that started it
    actions: list[dict[str, Any]] = field(default_factory=list)
    press: int | None = None  # the event of a press whose throw has not ended
    fault: tuple[str, str] | None = None  # name and message
    last: dict[str, Any] | None = None  # the last look at the dice, used or refused
    throws: list[dict[str, Any]] = field(default_factory=list)  # the latest looks of this game, oldest first
    turned: int = 0  # the event that last changed game or turn
    answered: OrderedDict[str, int] = field(default_factory=OrderedDict)  # key of a request: the event it became

    def apply(self, event: Event) -> None:
        """Take in the next event of the log."""
        apply = getattr(self, f"_{event.kind}", None)
        if apply is not None:
            apply(event)
        if event.kind in ("game", "action", "throw", "abandon"):
            self.turned = event.seq
        key = event.body.get("key")
        if key is not None:
            self.answered[key] = event.seq
            if len(self.answered) > _KEYS_REMEMBERED:
                self.answered.popitem(last=False)

    def record(self) -> dict[str, Any] | None:
        """The record that replays the running game, or None where there is none."""
        return record_of(self.game, self.actions) if self.game else None

    def _game(self, event: Event) -> None:
        self.game = new_game(event.body["game"], event.body["players"], event.body["options"])
        self.game_id, self.actions, self.throws, self.last = event.seq, [], [], None

    def _action(self, event: Event) -> None:
        self._play(event.body["action"])

    def _press(self, event: Event) -> None:
        self.press = event.seq

    def _throw(self, event: Event) -> None:
        self._see(event)
        self.press = None
        self._play({"do": "throw", "dice": event.body["faces"]})

    def _refused(self, event: Event) -> None:
        self._see(event)

    def _void(self, event: Event) -> None:
        self.press = None

    def _abandon(self, event: Event) -> None:
        self.game, self.game_id, self.actions = None, None, []

    def _fault(self, event: Event) -> None:
        self.press = None
        self.fault = event.body["fault"], event.body["message"]

    def _clear(self, event: Event) -> None:
        self.fault = None

    def _play(self, action: dict[str, Any]) -> None:
        if self.game is None:
            raise ValueError(f"The log has an action without a game: {action}")
        self.game.play(action)
        self.actions.append(action)

    def _see(self, event: Event) -> None:
        looked = {name: value for name, value in event.body.items() if name not in ("by", "key")}
        self.last = {"event": event.seq, "head": event.hash[:8], **looked}
        self.throws = [*self.throws[1 - _LAST_THROWS :], self.last]
