"""The seats of the guests: who sits at the counter, by what name, and which player of the running game he is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from server.chain import Event
from server.names import alike, folded

JOINING = ("open", "code", "approve", "locked")
"""Who may take a seat: anybody, who has the television's code or is approved, whoever is approved, nobody new."""
SEATS = 64
"""Most seats in all."""

MOST_PLAYERS = 100
"""Most that a game is begun for: the rules know no bound, but every name is held against every other."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A guest's place; he proves that it is his by a secret of which only the hash is kept."""

    id: int  # the event that made it
    name: str
    secret: str  # SHA-256 in hexadecimal of what his cookie holds
    approved: bool
    player: int | None = None  # his place among the players of the running game

    def as_json(self) -> dict[str, Any]:
        """What everybody may know of it."""
        return {"id": self.id, "name": self.name, "approved": self.approved, "player": self.player}


@dataclass(slots=True)
class Seats:
    """All seats; always and only the replay of the log's events `seat`."""

    list: dict[int, Seat] = field(default_factory=dict)

    def of_secret(self, secret: str) -> Seat | None:
        """Whose secret this hash is."""
        return next((seat for seat in self.list.values() if seat.secret == secret), None)

    def of_player(self, player: int) -> Seat | None:
        """Who plays in this place."""
        return next((seat for seat in self.list.values() if seat.player == player), None)

    def named(self, name: str, besides: int | None = None) -> Seat | None:
        """Who, but for one seat, is called so, or so alike that a call would reach both."""
        return next((seat for seat in self.list.values() if seat.id != besides and alike(seat.name, name)), None)

    def take_in(self, event: Event) -> None:
        """An event without "seat" makes one, of the event's number; with it, it changes one, and "gone" ends it.

        "instead" is the seat that was given up for a newcomer. A player belongs to one seat only.
        """
        body, number = event.body, event.body.get("seat", event.seq)
        if body.get("gone"):
            del self.list[number]
            return
        if "instead" in body:
            del self.list[body["instead"]]
        changes = {name: body[name] for name in ("name", "approved", "player") if name in body}
        taken = self.of_player(changes["player"]) if changes.get("player") is not None else None
        if taken is not None:
            self.list[taken.id] = replace(taken, player=None)
        if "seat" in body:
            self.list[number] = replace(self.list[number], **changes)
        else:
            self.list[number] = Seat(number, secret=body["secret"], **changes)

    @property
    def players(self) -> dict[int, int]:
        """Which seat plays in which place, by the seat's number."""
        return {seat.id: seat.player for seat in self.list.values() if seat.player is not None}

    def put(self, players: Mapping[int, int]) -> None:
        """Put those who are still here back into the places that they had; everybody else watches."""
        self.list = {seat.id: replace(seat, player=players.get(seat.id)) for seat in self.list.values()}

    def bind(self, players: Sequence[str]) -> None:
        """A game begins: who has a player's name and is approved plays in his place; everybody else watches."""
        names = {folded(name): place for place, name in reversed(list(enumerate(players)))}
        for seat in self.list.values():
            player = names.get(folded(seat.name)) if seat.approved else None
            self.list[seat.id] = replace(seat, player=player)
