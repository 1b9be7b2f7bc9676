"""What the web app was handed and keeps while it runs, for its routes to ask."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask, current_app

from server.chronicle import Chronicle
from server.evenings import Kept
from server.foresight import Foresight
from server.log import Log
from server.table import Table
from server.web.access import Access
from server.web.caps import Streams
from server.web.codes import Codes
from server.wizard import Wizard
from vision.picture import Image


class Handed:
    """All that routes share."""

    def __init__(
        self,
        table: Table,
        log: Log,
        settings: Mapping[str, Any],
        wizard: Wizard | None,
        glimpse: Callable[[], Image] | None,
    ) -> None:
        self.table, self.log, self.settings, self.wizard = table, log, settings, wizard
        self.glimpse = glimpse
        self.codes, self.streams = Codes(), Streams()
        self.access = Access(log.directory)
        self.chronicle, self.evenings, self.foresight = Chronicle(log), Kept(log), Foresight(table)
        self.tokens = secrets.token_bytes(32)  # what the tokens of pages follow from
        self.addresses: dict[int, str] = {}  # from which each seat was taken; they are written down nowhere


def handed(app: Flask | None = None) -> Handed:
    """What this app was handed; in a request, the app that answers it."""
    found: Handed = (app or current_app).extensions["cornet"]
    return found
