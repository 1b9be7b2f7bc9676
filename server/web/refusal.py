"""What is said to whoever asks for what there is not: one sentence, as JSON to a program, as a page to a person."""

from flask import Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, ServiceUnavailable

from server.web.guard import LARGEST_BODY

TOO_LONG = f"The body is larger than {LARGEST_BODY // 1024} kB; nothing that is asked here needs so much."
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address takes no such request.",
    413: TOO_LONG,
    416: "There is no such part of it.",
    500: "The program failed; its journal says where.",
}
"""By status, where no view has a sentence of its own: those of the library speak English alone."""


def refused(error: HTTPException) -> tuple[Response, int]:
    """The answer to a request that came to nothing."""
    code, sentence = error.code or 500, error.description
    if sentence == type(error).description:
        sentence = _SENTENCES.get(code, "This is no request that is understood here.")
    if request.path.startswith("/api/"):
        answer = jsonify({"error": sentence})
    else:
        answer = Response(render_template("sorry.html", code=code, message=sentence))
    if isinstance(error, ServiceUnavailable) and error.retry_after:
        answer.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, MethodNotAllowed):
        answer.allow.update(error.valid_methods or ())
    return answer, code
