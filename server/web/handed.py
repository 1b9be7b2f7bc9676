"""What the web app was handed, for its routes to ask."""

from flask import current_app

from server.log import Log
from server.table import Table


def the_table() -> Table:
    """The one table that is shown."""
    table: Table = current_app.config["TABLE"]
    return table


def the_log() -> Log:
    """Its log."""
    log: Log = current_app.config["LOG"]
    return log
