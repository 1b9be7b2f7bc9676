"""A stored picture, sent as a whole or the part that is asked for (RFC 9110, sections 13 and 14)."""

import re
from pathlib import Path
from typing import Any

from flask import Response, abort, request, send_file

_KEPT_S = 86_400
_PART = re.compile("bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-([0-9]{1,15}))", re.IGNORECASE)


def send_picture(path: Path) -> Response:
    """The picture of that path, whose name is its own SHA-256; 404, 412 or 416 where nothing of it is to be sent."""
    if not path.is_file():
        abort(404, "There is no such picture.")
    if request.if_match and not request.if_match.contains(path.stem):
        abort(412, "The picture is another one than If-Match names.")
    environ: dict[str, Any] = request.environ
    # The library would hold an asterisk for another picture.
    environ.pop("HTTP_IF_MATCH", None)
    if request.if_none_match.contains_weak(path.stem):
        # Then nothing is sent, and no part of it either.
        environ.pop("HTTP_RANGE", None)
    _heed_range(environ, path.stat().st_size)
    return send_file(path, max_age=_KEPT_S, etag=path.stem)


def _heed_range(environ: dict[str, Any], length: int) -> None:
    """Leave one range of bytes as the library reads it; whatever else Range may say is passed over."""
    asked = _PART.fullmatch(environ.get("HTTP_RANGE", ""))
    if asked is None or request.method != "GET":
        environ.pop("HTTP_RANGE", None)
    elif asked[1] and int(asked[1]) > length:
        environ["HTTP_RANGE"] = "bytes=0-"
