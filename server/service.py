"""What a service owes systemd: word that it is ready and alive, and a journal that programs can read."""

import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from queue import SimpleQueue

logger = logging.getLogger(__name__)

_TELL_S = 1.0  # within which whoever reads the socket must have room for a word

throw: ContextVar[int | None] = ContextVar("throw", default=None)
"""The press whose throw is under way in this thread: its event's seq in the log."""


class Supervisor:
    """systemd, told over its socket how this process is (sd_notify(3)); nobody where there is no address.

    That it cannot be told is logged once and stops nothing: it ends what it does not hear from as it sees fit.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._deaf = False

    def tell(self, state: str) -> None:
        """Send a state, as READY=1."""
        if not self._address:
            return
        # An @ stands for the zero byte of a socket without a file.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
                to.settimeout(_TELL_S)
                to.sendto(state.encode(), address)
        except OSError as error:
            if not self._deaf:
                logger.warning("systemd cannot be told %s: %s.", state, error.strerror or error)
            self._deaf = True


def feed(
    wait: Callable[[float], bool], tend: Callable[[], None], fresh: Callable[[], bool], tell: Callable[[str], None]
) -> None:
    """Until `wait(seconds)` says to stop: tend the camera once a second, and feed the watchdog while all is fresh."""
    while not wait(1.0):
        tend()
        if fresh():
            tell("WATCHDOG=1")


def on_end(end: Callable[[], None]) -> None:
    """Call this, in the main thread, when somebody asks the process to end: by Ctrl-C, SIGTERM, or hanging up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Whoever started it with nohup wants it to go on.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: end())


def at_end(end: Callable[[], None]) -> None:
    """Call this once, in a thread of its own, when somebody asks the process to end, however often and quickly.

    Not in the signal's handler: it may interrupt whoever holds a lock that this needs, itself among them, and wait
    for ever.
    """
    asked: SimpleQueue[None] = SimpleQueue()  # which may be put into while it is put into

    def pass_on() -> None:
        asked.get()
        end()

    threading.Thread(target=pass_on, name="end", daemon=True).start()
    on_end(partial(asked.put, None))


def interrupt() -> None:
    """End as by Ctrl-C, so that what is open is closed on the way out; KeyboardInterrupt."""
    raise KeyboardInterrupt


class JsonLines(logging.Formatter):
    """One JSON object a line: level, logger, message, the throw's id where there is one, the traceback where there is.

    The journal adds time, unit and process.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {"level": record.levelname, "logger": record.name, "message": record.getMessage()}
        if throw.get() is not None:
            line["throw"] = throw.get()
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_standard_error() -> None:
    """The journal gets a JSON object a line, a person gets a line of text."""
    handler = logging.StreamHandler()
    if "JOURNAL_STREAM" in os.environ:
        handler.setFormatter(JsonLines())
        # For each throw how long the motor ran and what it drew; a terminal is spared that.
        logging.getLogger("firmware").setLevel(logging.INFO)
    else:
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # That a request waits for a thread for a moment is no news.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
