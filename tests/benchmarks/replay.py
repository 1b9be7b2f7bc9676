"""How fast `cornet replay` is, and how much memory it takes: `python tests/benchmarks/replay.py`."""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from server.record import FORMAT
from server.rules import GAMES, Game, IllegalAction, new_game
from server.rules.cards import CARDS
from server.rules.thousand_cards import HAND, LEAST_BID, STEP, ThousandCards

Action = dict[str, Any]

CORNET = Path(sys.executable).with_name("cornet")
LONGEST_GAME = 1000
STARTS = 20


def any_action(game: Game, chance: random.Random) -> Action:
    """An action whose name is legal, with fields that are as a rule."""
    name = chance.choice(game.legal())
    if name == "throw":
        return {"do": name, "dice": [chance.randint(1, 6) for _ in range(game.dice)]}
    if isinstance(game, ThousandCards):
        return {"do": name, **card_fields(game, name, chance)}
    (offer,) = (offer for offer in game.offers() if offer["do"] == name)
    return {field: any_value(choice, chance) for field, choice in offer.items()}


def any_value(choice: Any, chance: random.Random) -> Any:
    """One of the values of an offer's field."""
    if isinstance(choice, str):
        return choice
    return chance.choice(choice["one_of"]) if "one_of" in choice else chance.randint(choice["from"], choice["to"])


def card_fields(game: ThousandCards, name: str, chance: random.Random) -> Action:
    """The fields of an action of the game of cards."""
    if name == "deal":
        pack = chance.sample(CARDS, len(CARDS))
        hands = [pack[first : first + HAND] for first in range(0, 3 * HAND, HAND)]
        return {"hands": hands, "talon": pack[3 * HAND :]}
    table = game.table()
    hand = table["referee"]["hands"][game.actor]
    match name:
        case "bid":
            return {"points": table["bid"]["points"] + STEP if table["bid"] else LEAST_BID}
        case "give":
            return {"cards": chance.sample(hand, 2)}
        case "order":
            return {"points": table["order"]}
        case "play":
            return {"card": chance.choice(hand), "marriage": not table["trick"] and chance.random() < 0.5}
    return {}


def random_record(name: str, chance: random.Random, most: int) -> dict[str, Any]:
    """A game by its usual rules and the legal actions that led there: to its end, or so many."""
    least, top = (3, 4) if name == ThousandCards.NAME else (2, 5)
    game = new_game(name, [f"Player {seat}" for seat in range(1, chance.randint(least, top) + 1)])
    actions: list[Action] = []
    while game.legal() and len(actions) < most:
        action = any_action(game, chance)
        try:
            game.play(action)
        except IllegalAction:
            continue  # a card that does not follow suit, a marriage that is none
        actions.append(action)
    return {"format": FORMAT, "game": name, "players": game.players, "actions": actions}


def records(name: str, actions: int, seed: int) -> Iterator[dict[str, Any]]:
    """Records that have so many actions together."""
    chance = random.Random(f"{name} {seed}")
    while actions:
        record = random_record(name, chance, min(actions, LONGEST_GAME))
        actions -= len(record["actions"])
        yield record


def write_records(folder: Path, name: str, actions: int, seed: int) -> Path:
    """A file of such records, written one by one so that this process stays small."""
    path = folder / f"{name}-{actions}.jsonl"
    with path.open("w") as file:
        for record in records(name, actions, seed):
            file.write(json.dumps(record) + "\n")
    return path


def cost(*arguments: str | Path) -> tuple[float, float]:
    """CPU time in seconds and peak memory in MiB of one `cornet replay`."""
    with subprocess.Popen([CORNET, "replay", *arguments], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "cornet replay")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def wall_s(path: Path) -> float:
    """How long the replay of one record takes from start to end."""
    begin = time.perf_counter()
    cost(path)
    return time.perf_counter() - begin


def speeds(folder: Path, actions: int, seed: int) -> Iterator[tuple[str, float]]:
    """Actions a second of CPU time for each game, without the start of the program."""
    empty = folder / "empty.jsonl"
    empty.touch()
    start_s = statistics.median(cost("--lines", empty)[0] for _ in range(STARTS))
    for game in GAMES:
        cpu_s, _ = cost("--lines", write_records(folder, game, actions, seed))
        yield game, actions / (cpu_s - start_s)


def main() -> None:
    """Print actions a second, peak memory and the time of a plain replay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=200_000, help="actions of each game (default %(default)s)")
    parser.add_argument("--seed", type=int, default=421, help="makes other games (default %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured = dict(speeds(folder, given.actions, given.seed))
        for game, speed in {**measured, "all six": statistics.harmonic_mean(measured.values())}.items():
            print(f"{game:>15} {speed:9,.0f} actions/s", flush=True)
        for actions in (given.actions // 10, given.actions):
            _, peak_mib = cost("--lines", write_records(folder, "421", actions, given.seed))
            print(f"{'peak memory':>15} {peak_mib:9.1f} MiB, 421, {actions:,} actions", flush=True)
        single = folder / "single.json"
        single.write_text(json.dumps(next(records("421", LONGEST_GAME, given.seed))))
        start_ms = 1000 * statistics.median(wall_s(single) for _ in range(STARTS))
        print(f"{'one replay':>15} {start_ms:9.0f} ms from start to end, median of {STARTS}", flush=True)


if __name__ == "__main__":
    main()
