"""What people see in tables."""

from rich.text import Text

from server.rules import harmless


def cell(text: str, style: str = "") -> Text:
    """A cell with what may come from a stranger's file: it moves no cursor, brackets stand as they were written."""
    return Text(harmless(text), style)
