"""Thousand, with cards: bid for the talon, order, take tricks and declare marriages, and win from the barrel."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from server.rules.cards import (
    ACES,
    BIT_OF,
    CARD_OF,
    JACKS,
    MARRIAGE_POINTS,
    MARRIAGES,
    NINES,
    PACK,
    POINTS_OF,
    SUIT_CARDS,
    SUIT_OF,
    card_points,
    cards_in,
    marriage_points,
    playable,
    taking,
)
from server.rules.game import Flag, Game, IllegalAction, Whole, short
from server.rules.sheet import Outcome, Sheet

ACTIVE = 3
HAND = 7
TALON = 3
STEP = 5
LEAST_BID = 100
GOLDEN_ORDER = 120
LIMIT = 120
HIGHEST_LIMIT = 400
ACE_MARRIAGE = 200


class ThousandCards(Game):
    """Thousand as the page `thousand-cards` has it."""

    NAME = "thousand-cards"
    OPTIONS = (
        Flag("bid_limits", True, "A bid is limited by the marriages in hand."),
        Flag("closed_hundred", True, "The talon is not shown if it was bought for 100."),
        Flag("ace_marriage", True, "200 points for leading an ace while holding all four."),
        Flag("marriage_after_trick", False, "A marriage may be declared only after taking a trick in this deal."),
        Whole("bolts", 3, 0, 10, "How many bolts, deals without a trick, cost a fine; 0 writes none."),
        Whole("bolt_fine", 120, 5, 500, "What so many bolts cost.", step=STEP),
        Whole("barrel_attempts", 3, 1, 10, "How many deals are allowed on the barrel."),
        Whole("barrel_fine", 120, 5, 500, "What falling off the barrel costs.", step=STEP),
        Flag("dump_truck", True, "A score of exactly 555 or -555 after a deal becomes 0."),
        Flag("painting", True, "The declarer may give the contract up before play."),
        Flag("redeals", True, "A hopeless hand, or talon, may be dealt again."),
        Flag("golden_con", False, "The first deals, as many as there are players, are golden."),
        Whole("bank", 0, 0, 1_000_000, "The stake that the last player pays to the winner."),
    )
    MOVES = {
        "deal": ("hands", "talon"),
        "bid": ("points",),
        "pass": (),
        "redeal": (),
        "give": ("cards",),
        "paint": (),
        "order": ("points",),
        "play": ("card", "marriage"),
    }
    LEAST_PLAYERS = 3
    HIDES = True
    MOST_PLAYERS = 4

    # Points are 0 before there are any. Seat 0 is forehand; who bid last is the declarer once there is an order.
    _bid: int
    _order: int
    _bidder: int
    _seat: int

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        super().__init__(players, options)
        self._sheet = Sheet(self.players, self.options)
        self._number = 1
        self._dealer = len(self.players) - 1
        self._begin_deal()

    def play(self, action: object) -> None:
        # A card is usually played without a word about a marriage.
        if type(action) is dict and "marriage" not in action and action.get("do") == "play":
            action = {**action, "marriage": False}
        super().play(action)

    def _fields_of(self, name: str) -> str:
        said = super()._fields_of(name)
        return '"play" has the fields do and card, and may have marriage.' if name == "play" else said

    def do_deal(self, hands: object, talon: object) -> None:
        """Deal seven cards to each active player and three to the talon."""
        if type(hands) is not list or len(hands) != ACTIVE:
            raise IllegalAction(f'"hands" must be a list of {ACTIVE} hands, not {short(hands)}.')
        dealt = [_card_set(hand, HAND, "a hand") for hand in hands]
        rest = _card_set(talon, TALON, "the talon")
        missing = PACK & ~(rest | dealt[0] | dealt[1] | dealt[2])
        if missing:
            raise IllegalAction(f"Each of the 24 cards must be dealt once; missing: {', '.join(cards_in(missing))}.")
        self._hands, self._talon = dealt, rest
        self.log.append({"event": "deal", "deal": self._number, "dealer": self.players[self._dealer]})
        if self._golden:
            self._bid = GOLDEN_ORDER
            self._take_talon()
        else:
            self._phase = "auction"
            self._ask_bid(0)

    def do_bid(self, points: object) -> None:
        """Bid more than anybody so far."""
        self._bid = self._points(points, self._least_bid(), self._limit(self._seat))
        self._bidder = self._seat
        self.log.append({"event": "bid", "player": self.actor, "points": self._bid})
        self._go_round()

    def do_pass(self) -> None:
        """Leave the auction of this deal."""
        self._passed.append(self._seat)
        self.log.append({"event": "pass", "player": self.actor})
        if len(self._passed) == ACTIVE - 1:
            self._take_talon()
        else:
            self._go_round()

    def do_redeal(self) -> None:
        """Have a hopeless hand or talon dealt again."""
        self.log.append({"event": "redeal", "player": self.actor})
        self._begin_deal()

    def do_give(self, cards: object) -> None:
        """Give a card to the next active player and another to the one after."""
        if type(cards) is not list or len(cards) != ACTIVE - 1:
            raise IllegalAction(f'"cards" must be a list of two cards of the hand, not {short(cards)}.')
        first, second = map(self._held, cards)
        if first == second:
            raise IllegalAction(f"Two different cards must be given, not twice {short(cards[0])}.")
        seat = self._seat
        self._hands[seat] -= first + second
        for to, bit in (((seat + 1) % ACTIVE, first), ((seat + 2) % ACTIVE, second)):
            self._hands[to] += bit
            self._given.append((to, bit))
        self.log.append({"event": "give", "player": self.actor})
        self._phase = "play" if self._golden else "order"
        self.awaits = (self._phase,)

    def do_paint(self) -> None:
        """Give the contract up."""
        self.log.append({"event": "paint", "player": self.actor, "points": self._order})
        self._settle(painted=True)

    def do_order(self, points: object) -> None:
        """Name the contract."""
        self._order = self._points(points, self._order, max(self._order, self._limit(self._seat)))
        self.log.append({"event": "order", "player": self.actor, "points": self._order})
        self._phase = "play"
        self.awaits = ("play",)

    def do_play(self, card: object, marriage: object) -> None:
        """Play a card; who leads may declare a marriage with it."""
        bit = self._held(card)
        if type(marriage) is not bool:
            raise IllegalAction(f'"marriage" must be true or false, not {short(marriage)}.')
        if self._trick:
            if marriage:
                raise IllegalAction("Only who leads to a trick may declare a marriage; play without it.")
            self._check_follows(bit)
        else:
            if marriage:
                self._check_marriage(bit)
            self._lead(bit, marriage)
        seat = self._seat
        self._hands[seat] -= bit
        self._trick.append(bit)
        if len(self._trick) == ACTIVE:
            self._take_trick()
        else:
            self._sit((seat + 1) % ACTIVE)

    def scores(self) -> dict[str, int]:
        """The points written."""
        return self._sheet.scores.copy()

    def table(self) -> dict[str, Any]:
        """What the page calls `table`, the referee's part of it included."""
        hands = dict(zip(self._active, map(cards_in, self._hands), strict=True))
        referee = {"hands": hands, "talon": cards_in(self._talon), "given": self._given_to(range(ACTIVE))}
        return {**self._open_table(), "referee": referee}

    def view(self, player: str) -> dict[str, Any]:
        """The state as that player may see it; anybody else sees what an onlooker sees."""
        state = super().state()
        own: dict[str, Any] = {"hand": [], "talon": [], "given": []}
        if player in self._active:
            seat = self._active.index(player)
            own["hand"] = cards_in(self._hands[seat])
            declares = self._order and seat == self._bidder
            own["talon"] = cards_in(self._talon) if declares else []
            own["given"] = self._given_to(range(ACTIVE) if declares else (seat,))
        state["table"] = {**self._open_table(), "own": own}
        if state["turn"] and player != self.actor:
            state["turn"]["legal"] = []
        return state

    def result(self) -> dict[str, Any]:
        """The winner, the places, and who pays the stake."""
        return self._sheet.result()

    def _open_table(self) -> dict[str, Any]:
        active, sheet = self._active, self._sheet
        trick = [((self._leader + place) % ACTIVE, bit) for place, bit in enumerate(self._trick)]
        return {
            "phase": self._phase,
            "deal": self._number,
            "golden": self._golden,
            "dealer": self.players[self._dealer],
            "active": list(active),
            "bid": {"player": active[self._bidder], "points": self._bid} if self._bid else None,
            "passed": [active[seat] for seat in self._passed],
            "declarer": active[self._bidder] if self._order else None,
            "order": self._order or None,
            "talon": cards_in(self._talon) if self._shown else [],
            "trump": SUIT_OF[self._trump & -self._trump] if self._trump else None,
            "trick": [{"player": active[seat], "card": CARD_OF[bit]} for seat, bit in trick],
            "tricks": dict(zip(active, self._tricks, strict=True)),
            "taken": dict(zip(active, self._taken, strict=True)),
            "bolts": sheet.bolts.copy(),
            "barrel": {"player": sheet.sitter, "attempts": sheet.attempts},
            "cards": {name: hand.bit_count() for name, hand in zip(active, self._hands, strict=True)},
        }

    def _given_to(self, seats: Container[int]) -> list[dict[str, str]]:
        return [{"to": self._active[seat], "card": CARD_OF[bit]} for seat, bit in self._given if seat in seats]

    def _begin_deal(self) -> None:
        after = self.players[self._dealer + 1 :] + self.players[: self._dealer + 1]
        self._active = after[:ACTIVE]
        self._golden: bool = self.options["golden_con"] and self._number <= len(self.players)
        self._bid = self._bidder = 0
        self._words = 0
        self._passed: list[int] = []
        self._order = 0
        self._trump = self._led = 0
        self._seat = self._leader = 0
        self._tricks = [0] * ACTIVE
        self._taken = [0] * ACTIVE
        self._clear_cards()
        self._phase = "deal"
        self.actor, self.awaits = self.players[self._dealer], ("deal",)

    def _clear_cards(self) -> None:
        self._hands = [0] * ACTIVE
        self._talon = 0
        self._shown = False
        self._given: list[tuple[int, int]] = []
        self._trick: list[int] = []

    def _sit(self, seat: int) -> None:
        self._seat, self.actor = seat, self._active[seat]

    def _ask_bid(self, seat: int) -> None:
        self._sit(seat)
        hand = self._hands[seat]
        legal = []
        if self._least_bid() <= self._limit(seat):
            legal.append("bid")
        if self._bid:
            legal.append("pass")
        if self.options["redeals"] and self._words < ACTIVE and _hopeless_hand(hand):
            legal.append("redeal")
        self.awaits = tuple(legal)

    def _go_round(self) -> None:
        self._words += 1
        seat = (self._seat + 1) % ACTIVE
        while seat in self._passed:
            seat = (seat + 1) % ACTIVE
        self._ask_bid(seat)

    def _least_bid(self) -> int:
        return self._bid + STEP if self._bid else LEAST_BID

    def _limit(self, seat: int) -> int:
        return LIMIT + marriage_points(self._hands[seat]) if self.options["bid_limits"] else HIGHEST_LIMIT

    def _points(self, value: object, least: int, most: int) -> int:
        if type(value) is not int or not least <= value <= most or value % STEP:
            bounds = f"a multiple of {STEP} from {least} to {most}" if least < most else f"{least}"
            raise IllegalAction(f'The "points" of {short(self.actor)} must be {bounds}, not {short(value)}.')
        return value

    def _take_talon(self) -> None:
        self._order = self._bid
        self._sit(self._bidder)
        self._hands[self._seat] += self._talon
        self._shown = not (self.options["closed_hundred"] and self._order == LEAST_BID)
        entry = {"event": "talon", "player": self.actor, "points": self._order, "shown": self._shown}
        self.log.append(entry)
        self._phase = "talon"
        paint = ("paint",) if self.options["painting"] and not self._golden else ()
        redeal = ("redeal",) if self.options["redeals"] and _hopeless_talon(self._talon) else ()
        self.awaits = ("give", *paint, *redeal)

    def _held(self, card: object) -> int:
        bit = BIT_OF.get(card, 0) if type(card) is str else 0
        if not bit & self._hands[self._seat]:
            raise IllegalAction(f"{short(card)} is no card in the hand of {short(self.actor)}; take one that is.")
        return bit

    def _check_follows(self, bit: int) -> None:
        hand = self._hands[self._seat]
        if not bit & playable(hand, self._led, self._trump):
            must = self._led if hand & self._led else self._trump
            suit = SUIT_OF[must & -must]
            why = "follow suit" if must == self._led else "play a trump"
            raise IllegalAction(f"{short(self.actor)} must {why}: a card of suit {suit}, not {CARD_OF[bit]}.")

    def _check_marriage(self, bit: int) -> None:
        pair = MARRIAGES[SUIT_OF[bit]]
        if not bit & pair or self._hands[self._seat] & pair != pair:
            raise IllegalAction(
                f"{CARD_OF[bit]} declares no marriage: lead a king or queen with the other of the suit still in hand."
            )
        if self.options["marriage_after_trick"] and not self._tricks[self._seat]:
            raise IllegalAction("A marriage may be declared only after taking a trick in this deal; play without it.")

    def _lead(self, bit: int, marriage: bool) -> None:
        seat = self._leader = self._seat
        suit = SUIT_OF[bit]
        self._led = SUIT_CARDS[suit]
        if marriage:
            self._trump = self._led
            points = MARRIAGE_POINTS[suit]
            self._taken[seat] += points
            self.log.append({"event": "marriage", "player": self.actor, "suit": suit, "points": points})
        elif bit & ACES and self._hands[seat] & ACES == ACES and self._tricks[seat] and self.options["ace_marriage"]:
            self._taken[seat] += ACE_MARRIAGE
            self.log.append({"event": "ace_marriage", "player": self.actor, "points": ACE_MARRIAGE})

    def _take_trick(self) -> None:
        trick = self._trick
        seat = (self._leader + taking(trick, self._led, self._trump)) % ACTIVE
        self._sit(seat)
        points = sum(map(POINTS_OF.__getitem__, trick))
        self._tricks[seat] += 1
        self._taken[seat] += points
        cards = list(map(CARD_OF.__getitem__, trick))
        self.log.append({"event": "trick", "player": self.actor, "cards": cards, "points": points})
        self._trick = []
        if not self._hands[seat]:
            self._settle(painted=False)

    def _settle(self, painted: bool) -> None:
        active, sheet = self._active, self._sheet
        outcome = Outcome(
            deal=self._number,
            golden=self._golden,
            declarer=active[self._bidder],
            order=self._order,
            painted=painted,
            taken=dict(zip(active, self._taken, strict=True)),
            tricks=dict(zip(active, self._tricks, strict=True)),
        )
        self.log += sheet.settle(outcome)
        if not sheet.winner:
            self._number += 1
            self._dealer = (self._dealer + 1) % len(self.players)
            self._begin_deal()
        else:
            self._phase, self.awaits = "over", ()
            self._clear_cards()


def _card_set(cards: object, number: int, what: str) -> int:
    if type(cards) is not list or len(cards) != number:
        raise IllegalAction(f"{what.capitalize()} must be a list of {number} cards, not {short(cards)}.")
    held = 0
    for card in cards:
        bit = BIT_OF.get(card, 0) if type(card) is str else 0
        if not bit:
            raise IllegalAction(f'{short(card)} is no card; cards are rank, then suit, "9S" to "AH".')
        held |= bit
    return held


def _hopeless_hand(hand: int) -> bool:
    return card_points(hand) < 13 or (hand & NINES).bit_count() >= 3 or hand & JACKS == JACKS


def _hopeless_talon(talon: int) -> bool:
    return card_points(talon) < 5 or (talon & NINES).bit_count() >= 2 or (talon & JACKS) == talon
