"""What every live camera has in common: one owner, bounded waits, coming back after a loss."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from vision.camera import CameraLost, Frame
from vision.picture import Image

T = TypeVar("T")

IDLE_S = 1.0
"""So long without a picture, and the camera is asked for one to see that it is alive."""
BEAT_S = 2.0
"""Longest wait for that picture."""
FIRST_S = 3.0
"""Longest wait for the first picture after opening."""
CLOSE_S = 3.0
"""Longest wait for a camera to let go."""
TRIES = 3
"""So many failed openings of a camera that has worked before are hopeless."""
MAX_PAUSE_S = 30.0
"""Longest pause between two openings; it begins at 1 s and doubles."""
LATE_S = 3.0
"""A question that is not answered so long after its time hangs in the device."""
BLACK_LEVEL, WHITE_LEVEL = 16, 250
"""A picture with nothing brighter, or nothing darker, shows nothing."""
_BLACK = (
    "The camera's picture is black: see that the ring light shines and nothing covers the window, then clear the fault."
)
_WHITE = (
    "The camera's picture is white: see that no lamp shines into the camera, and calibrate the light again, then clear "
    "the fault."
)


class CameraHopeless(CameraLost):
    """A camera that worked does not come back within this process: end it, so that a new one begins from nothing."""


class LiveCamera(ABC):
    """A camera that sees the floor as it is now; any thread may call any method, one at a time owns the device.

    The device is opened and kept alive by `tend`, which must be called about once a second; until it has succeeded,
    and after a loss, `frame` and `live` answer with CameraLost at once.
    """

    recorded = 0

    def __init__(self, clock: Callable[[], float] = time.monotonic, close_s: float = CLOSE_S) -> None:
        self.lost = "The camera has not been opened yet: wait a moment, then clear the fault."
        self._clock, self._close_s = clock, close_s
        self._owner = threading.Lock()
        self._due_s: float | None = None  # when the question under way must be answered
        self._worked = self._closed = False
        self._tries = 0
        self._next_try_s = self._seen_s = clock()
        self._letting_go: threading.Thread | None = None

    def frame(self, timeout_s: float) -> Frame:
        """A picture whose exposure began after the call; CameraLost, with what to look at, after timeout_s seconds."""
        return self._asked(self._good, timeout_s)

    def live(self, timeout_s: float) -> Image:
        """A picture for a person to look at: not checked, perhaps smaller; CameraLost after timeout_s seconds."""
        return self._asked(self._glimpse, timeout_s)

    def tend(self) -> None:
        """Open the camera if that is due, else look whether it is alive; CameraHopeless if the process had better end.

        `lost` then is the sentence that says why there are no pictures, or empty. A call takes at most CLOSE_S, FIRST_S
        and the time of opening: a watchdog that is fed between two calls must wait longer.
        """
        if self._closed or not self._owner.acquire(blocking=False):
            return  # whoever holds it waits a bounded time, and sees for himself whether the camera is alive
        try:
            if self.lost:
                if self._clock() >= self._next_try_s:
                    self._reopen()
            elif self._clock() - self._seen_s >= IDLE_S:
                self._beat()
        finally:
            self._owner.release()

    @property
    def fresh(self) -> bool:
        """Whether nobody hangs in the device; a camera that is not there, and says so, need not end a process."""
        due_s = self._due_s
        return due_s is None or self._clock() - due_s <= LATE_S

    def close(self) -> None:
        """Let go of the camera; as often as you like. One that does not let go is left to the end of the process."""
        self._closed = True
        if self._owner.acquire(timeout=self._close_s):
            self.lost = "The camera is closed."
            self._let_go()
            self._owner.release()

    # What each kind of camera must do. All but _shut raise CameraLost.

    @abstractmethod
    def _open(self) -> None:
        """Open the device and set it running; it is not open."""

    @abstractmethod
    def _take(self, timeout_s: float) -> Frame:
        """A picture whose exposure began after the call."""

    @abstractmethod
    def _glimpse(self, timeout_s: float) -> Image:
        """Any picture of now."""

    @abstractmethod
    def _shut(self) -> None:
        """Let go of the device, whatever state it is in; nothing if there is none. May hang."""

    # One owner

    def _asked(self, question: Callable[[float], T], timeout_s: float) -> T:
        with self._owned(timeout_s) as left_s:
            if self.lost:
                raise CameraLost(self.lost)
            try:
                answer = question(left_s)
            except CameraLost as error:
                self._lose(error)
                raise
            self._seen_s = self._clock()
            return answer

    @contextmanager
    def _owned(self, timeout_s: float) -> Iterator[float]:
        deadline = self._clock() + timeout_s
        if not self._owner.acquire(timeout=timeout_s):
            raise CameraLost("The camera is busy with an older question: try again.")
        self._due_s = deadline
        try:
            yield max(deadline - self._clock(), 0.1)
        finally:
            self._due_s = None
            self._owner.release()

    def _good(self, timeout_s: float) -> Frame:
        """A picture that shows something; those that show nothing are tried again until the time is up."""
        deadline = self._clock() + timeout_s
        while True:
            frame = self._take(max(deadline - self._clock(), 0.1))
            if frame.image.max() <= BLACK_LEVEL:
                trouble = _BLACK
            elif frame.image.min() >= WHITE_LEVEL:
                trouble = _WHITE
            else:
                return frame
            if self._clock() >= deadline:
                raise CameraLost(trouble)

    # Loss and return

    def _lose(self, error: CameraLost) -> None:
        self.lost = str(error)
        self._next_try_s = self._clock()

    def _beat(self) -> None:
        try:
            self._glimpse(BEAT_S)
        except CameraLost as error:
            self._lose(error)
        else:
            self._seen_s = self._clock()

    def _reopen(self) -> None:
        if not self._let_go():
            self.lost = (
                "The camera does not let go: switch the power off, press its ribbon or plug home, switch the power on."
            )
            if self._worked:
                raise CameraHopeless(self.lost)
            return  # a new process would come to the same end, and nobody could read why
        try:
            self._open()
            self._take(FIRST_S)
        except CameraLost as error:
            self.lost = str(error)
            self._tries += 1
            self._next_try_s = self._clock() + min(2.0 ** (self._tries - 1), MAX_PAUSE_S)
            if self._worked and self._tries >= TRIES:
                raise CameraHopeless(self.lost) from error
        else:
            self.lost = ""
            self._worked, self._tries, self._seen_s = True, 0, self._clock()

    def _let_go(self) -> bool:
        """Shut the device, in a thread of its own because that may hang; whether it is shut."""
        if self._letting_go is None:
            self._letting_go = threading.Thread(target=self._shut, name="camera shut", daemon=True)
            self._letting_go.start()
        self._letting_go.join(self._close_s)
        if self._letting_go.is_alive():
            return False
        self._letting_go = None
        return True
