"""The command line: `cornet COMMAND`. Each command loads only what it needs, so that a replay starts at once."""

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

PORT = 8421
DATA = Path("data")


class WrongCall(ValueError):
    """A command line that cannot be carried out; the message says what to do."""


class _Parser(argparse.ArgumentParser):
    def __init__(self, **settings: Any) -> None:
        # A misspelt word is an error, never another word's beginning.
        super().__init__(**{**settings, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        raise WrongCall(f"{self.prog}: {message}; see {self.prog} --help.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status: 0, 1 for a failed job, 2 for a wrong call or bad input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        plain, viewer = _viewer(words)
        given = _parser().parse_args(plain, argparse.Namespace(player=viewer) if viewer is not None else None)
        if sys.stdout is None or sys.stdin is None:
            raise WrongCall("Standard input and output are closed: open them, /dev/null will do.")
        status: int = given.run(given)
        sys.stdout.flush()
    except WrongCall as error:
        # A replay answers everything with the record's error object.
        replaying = words[:1] == ["replay"]
        fault = json.dumps({"error": {"action": None, "message": str(error)}})
        print(fault if replaying else error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        # What must be tidied up was, on the way here.
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read the output has enough; at exit nothing must try to write the rest.
        _forget_output()
        return 1
    except OSError as error:
        print(f"The output cannot be written ({error.strerror}): make room, or write it elsewhere.", file=sys.stderr)
        _forget_output()
        return 1
    return status


def _viewer(words: list[str]) -> tuple[list[str], str | None]:
    """The words without --as and its name, and the name: it may begin with a dash, or be one."""
    if words[:1] != ["replay"] or "--as" not in words[:-1]:
        return words, None
    place = words.index("--as")
    return words[:place] + words[place + 2 :], words[place + 1]


def _forget_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="cornet", description="A motorised cornet: throws real dice, reads them, plays the old games."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_run(_add(commands, "run", "The machine and its dashboard.", "cornet run --port 9000"))
    _add_throw(_add(commands, "throw", "Throw outside a game, once or often.", "cornet throw --count 6000 --set ivory"))
    _add_doctor(_add(commands, "doctor", "Try every part of the machine; nothing moves.", "cornet doctor --move"))
    _add_replay(_add(commands, "replay", "Replay a game record and print its state.", "cornet replay game.json"))
    _add_read(_add(commands, "read", "Read the dice of pictures.", "cornet read --expect 5 table.jpg"))
    _add_evaluate(_add(commands, "evaluate", "Judge the reader by labelled pictures.", "cornet evaluate labels.json"))
    _add_misread(_add(commands, "misread", "Certify the reader by labelled pictures.", "cornet misread labels.json"))
    _add_settle(_add(commands, "settle", "Find when the dice of a recording are at rest.", "cornet settle throw.mp4"))
    _add_audit(
        _add(commands, "audit", "Check the log, read its pictures again, replay its games.", "cornet audit data")
    )
    _add_odds(_add(commands, "odds", "The exact odds of a game.", 'cornet odds 421 --options \'{"version": "41"}\''))
    _add_calibrate(
        _add(commands, "calibrate", "Calibrate the machine, step by step.", "cornet calibrate floor empty.jpg")
    )
    _add_advise(_add(commands, "advise", "What to do now, and what every choice has cost.", "cornet advise game.json"))
    _add_fairness(_add(commands, "fairness", "Judge dice by their faces.", "cornet fairness --counts 9,11,8,12,10,10"))
    _add_pin(
        _add(commands, "pin", "Set the bartender's PIN; it is asked for, or read from standard input.", "cornet pin")
    )
    _add_export(_add(commands, "export", "Print the record of a game.", "cornet export 12 --bundle game-12.zip"))
    return parser


def _add(commands: "argparse._SubParsersAction[_Parser]", name: str, does: str, example: str) -> _Parser:
    return commands.add_parser(name, help=does, description=does, epilog=f"Example: {example}")


def _add_run(parser: _Parser) -> None:
    _add_address(parser)
    _add_machine(parser)
    _add_seed(parser)
    parser.set_defaults(run=_run)


def _add_machine(parser: _Parser) -> None:
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the log (default ./data)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings, in TOML")
    parser.add_argument(
        "--tower",
        choices=("auto", "gpio", "sim", "twin"),
        default="auto",
        help="what throws the dice; twin reckons them as rigid bodies (in a checkout, with mujoco)",
    )
    parser.add_argument(
        "--camera",
        type=_camera,
        default="auto",
        metavar="{auto,pi,usb,rendered,frames:DIR,none}",
        help="what looks at them; frames:DIR plays back recorded pictures",
    )


def _add_seed(parser: _Parser) -> None:
    parser.add_argument("--seed", type=int, help="makes the simulated tower throw the same dice again")


def _add_address(parser: _Parser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument(
        "--port", type=_port, default=PORT, help="port to listen on (default %(default)s; 0: any free one)"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port, ports are 1 to 65535")
    return int(text)


def _camera(text: str) -> str:
    if text in ("auto", "pi", "usb", "rendered", "none") or (text.startswith("frames:") and len(text) > len("frames:")):
        return text
    raise argparse.ArgumentTypeError(f"{text} is no camera, choose auto, pi, usb, rendered, frames:DIR or none")


def _run(given: argparse.Namespace) -> int:
    from server.running import CANNOT_START, run

    try:
        return run(given)
    except CANNOT_START as error:
        raise WrongCall(str(error)) from None


def _add_throw(parser: _Parser) -> None:
    parser.add_argument("--count", type=_positive, default=1, metavar="N", help="how many throws (default %(default)s)")
    parser.add_argument(
        "--expect", type=_positive, metavar="N", help="how many dice are in the cornet (else the setting)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--set", type=_name, metavar="NAME", help="the name of this set of dice, to be written down")
    which.add_argument(
        "--commission", type=_name, metavar="SET", help="the same; jams are cleared, and a certificate is written"
    )
    _add_machine(parser)
    _add_seed(parser)
    parser.set_defaults(run=_throw)


def _add_doctor(parser: _Parser) -> None:
    parser.add_argument("--move", action="store_true", help="also make one throw, watched by its sensors")
    parser.add_argument("--json", action="store_true", help="print the findings for programs")
    _add_address(parser)
    _add_machine(parser)
    parser.set_defaults(run=_doctor)


def _doctor(given: argparse.Namespace) -> int:
    from server.doctoring import examine

    return examine(given)


def _positive(text: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to 999999999")
    return int(text)


def _name(text: str) -> str:
    if not 1 <= len(text) <= 60 or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!a} is no name, a name has 1 to 60 printable characters")
    return text


def _throw(given: argparse.Namespace) -> int:
    from server.soaking import throw_dice

    return throw_dice(given)


def _add_replay(parser: _Parser) -> None:
    parser.add_argument("record", metavar="RECORD.json", help="the record; - reads standard input")
    parser.add_argument("--lines", action="store_true", help="one record a line, one answer a line")
    parser.add_argument(
        "--as",
        dest="player",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help="print the state as this player may see it",
    )
    parser.set_defaults(run=_replay)


def _replay(given: argparse.Namespace) -> int:
    from server.record import Refused, answer_lines, parse, replay

    player: str | None = getattr(given, "player", None)
    if given.lines and player is not None:
        raise WrongCall("--as shows one player's view of one record, it does not go with --lines.")
    try:
        if given.lines:
            for answer in answer_lines(_lines_of(given.record)):
                print(answer)
            return 0
        game = replay(parse(b"".join(_lines_of(given.record))), player)
    except Refused as error:
        print(json.dumps(error.as_json()), file=sys.stderr)
        return 2
    print(json.dumps(game.state() if player is None else game.view(player)))
    return 0


def _lines_of(name: str) -> Iterator[bytes]:
    try:
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
            yield from file
    except OSError as error:
        raise WrongCall(f"{name} cannot be read ({error.strerror}): name a file that can.") from None


def _add_read(parser: _Parser) -> None:
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="a picture")
    parser.add_argument("--expect", type=_count, metavar="N", help="how many dice there must be")
    parser.add_argument("--tray", type=Path, metavar="FILE", help="the machine's calibration (tray.toml)")
    parser.add_argument("--annotate", type=Path, metavar="DIR", help="write each picture there with what was read")
    parser.set_defaults(run=_read)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is no whole number")
    return int(text)


def _read(given: argparse.Namespace) -> int:
    from server.pictures import read_pictures

    return read_pictures(given.images, given.expect, given.tray, given.annotate)


def _add_evaluate(parser: _Parser) -> None:
    parser.add_argument("labels", type=Path, metavar="LABELS.json", help="the labels; pictures stand beside them")
    parser.add_argument("--json", action="store_true", help="print the result for programs")
    parser.add_argument("--worst", type=Path, metavar="DIR", help="write the failures there, annotated")
    parser.set_defaults(run=_evaluate)


def _evaluate(given: argparse.Namespace) -> int:
    from server.pictures import evaluate_pictures

    return evaluate_pictures(given.labels, given.json, given.worst)


def _add_misread(parser: _Parser) -> None:
    parser.add_argument("labels", type=Path, metavar="LABELS.json", help="the labels; pictures stand beside them")
    parser.add_argument("--json", action="store_true", help="print the certificate for programs")
    parser.set_defaults(run=_misread)


def _misread(given: argparse.Namespace) -> int:
    from server.misreading import certify_reader

    return certify_reader(given.labels, given.json)


def _add_settle(parser: _Parser) -> None:
    parser.add_argument("recording", type=Path, metavar="VIDEO|DIR", help="a video, or a folder of frames, 25 a second")
    parser.add_argument("--read", action="store_true", help="read the dice of each rest too")
    parser.set_defaults(run=_settle)


def _settle(given: argparse.Namespace) -> int:
    from server.recordings import settle_recording

    return settle_recording(given.recording, given.read)


def _add_audit(parser: _Parser) -> None:
    parser.add_argument(
        "path", type=Path, nargs="?", default=DATA, help="a data directory or a bundle (default ./data)"
    )
    parser.set_defaults(run=_audit)


def _audit(given: argparse.Namespace) -> int:
    from server.auditing import audit_path

    return audit_path(given.path)


def _add_export(parser: _Parser) -> None:
    parser.add_argument("game", type=_count, metavar="GAME-ID", help="the number of the game, as /api/state has it")
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the log (default ./data)")
    parser.add_argument(
        "--bundle", type=Path, metavar="FILE.zip", help="write record, pictures and chain there instead"
    )
    parser.set_defaults(run=_export)


def _export(given: argparse.Namespace) -> int:
    from server.auditing import export_game

    return export_game(given.game, given.data, given.bundle)


def _add_pin(parser: _Parser) -> None:
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the log (default ./data)")
    parser.set_defaults(run=_pin)


def _pin(given: argparse.Namespace) -> int:
    from getpass import getpass

    from server.access import Access, BadPin

    asks = sys.stdin.isatty()
    pin = getpass("New PIN: ") if asks else sys.stdin.readline().removesuffix("\n")
    if asks and getpass("Once more: ") != pin:
        raise WrongCall("These were two different PINs: begin again.")
    try:
        given.data.mkdir(parents=True, exist_ok=True)
        Access(given.data).set_pin(pin)
    except BadPin as error:
        raise WrongCall(str(error)) from None
    except OSError as error:
        raise WrongCall(f"The PIN cannot be kept in {given.data} ({error.strerror}): name another --data.") from None
    return 0


def _add_calibrate(parser: _Parser) -> None:
    steps = ("board", "lens", "focus", "light", "floor", "dice", "undo", "show")
    parser.add_argument("step", choices=steps, metavar="STEP", help=f"one of {', '.join(steps)}, best in this order")
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="pictures to calibrate by; else the camera's")
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the calibration (default ./data)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings, in TOML")
    parser.add_argument(
        "--camera", type=_camera, default="auto", metavar="{auto,pi,usb,rendered,frames:DIR}", help="the camera"
    )
    parser.add_argument("--set", default="dice", metavar="NAME", help="dice: the name of the set")
    parser.add_argument(
        "--die", action="append", default=[], metavar="NAME", help="dice: a name for each, left to right"
    )
    parser.add_argument(
        "--axes", type=_axes, default=[], metavar="MM,MM,MM,...", help="dice: three axes of each, by callipers"
    )
    _add_seed(parser)
    parser.set_defaults(run=_calibrate)


def _axes(text: str) -> list[float]:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?(,[0-9]{1,3}(\.[0-9]{1,3})?)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of millimetres, as in 16.01,16.00,15.99")
    return [float(number) for number in text.split(",")]


def _calibrate(given: argparse.Namespace) -> int:
    from server.calibrating import calibrate

    return calibrate(given)


def _add_odds(parser: _Parser) -> None:
    parser.add_argument("game", metavar="GAME", help="a game of dice: vingt-six, quatorze, vingt-cinq, 421, thousand")
    parser.add_argument("--options", default="{}", metavar="JSON", help="what differs from the game's defaults")
    parser.set_defaults(run=_odds)


def _odds(given: argparse.Namespace) -> int:
    from server.odds import odds
    from server.record import Refused, parse
    from server.rules import BadRecord, short

    try:
        options = parse(os.fsencode(given.options))
        if type(options) is not dict:
            raise WrongCall(f"--options must be a JSON object, not {short(options)}.")
        answer = odds(given.game, options)
    except (Refused, BadRecord) as error:
        raise WrongCall(str(error)) from None
    print(json.dumps(answer))
    return 0


def _add_advise(parser: _Parser) -> None:
    parser.add_argument("record", metavar="RECORD.json", help="the record; - reads standard input")
    parser.set_defaults(run=_advise)


def _advise(given: argparse.Namespace) -> int:
    from server.advice import advice_on
    from server.record import Refused, parse, replay
    from server.strategy import knows

    try:
        record = parse(b"".join(_lines_of(given.record)))
        game = replay(record)
    except Refused as error:
        raise WrongCall(str(error)) from None
    if not knows(game):
        raise WrongCall(f"There is no advice for {game.NAME}: the games of dice have some.")
    print(json.dumps(advice_on(game, record.get("actions", []))))
    return 0


def _add_fairness(parser: _Parser) -> None:
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the log, or a bundle (default ./data)")
    parser.add_argument("--json", action="store_true", help="print the evidence for programs")
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="write it as a page in one file too")
    parser.add_argument(
        "--counts", type=_counts, metavar="a,b,c,d,e,f", help="judge these counts of the faces 1 to 6 and no log"
    )
    parser.set_defaults(run=_fairness)


def _counts(text: str) -> list[int]:
    if not re.fullmatch("[0-9]{1,15}(,[0-9]{1,15}){5}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not six whole numbers of up to 15 digits, separated by commas")
    counts = [int(count) for count in text.split(",")]
    if not any(counts):
        raise argparse.ArgumentTypeError("there must be at least one die")
    return counts


def _fairness(given: argparse.Namespace) -> int:
    if given.counts is not None:
        from calibration.evidence import judge

        print(json.dumps(judge(given.counts).as_json()))
        return 0
    from server.judging import judge_log

    return judge_log(given)
