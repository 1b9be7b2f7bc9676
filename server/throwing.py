"""One throw: tumble, wait for rest, look, and commit what was seen."""

import logging
from collections.abc import Callable
from typing import Any

from firmware.tower import Interrupted, Tower, TowerFault
from server.chance import SeedLost
from server.eye import Eye, Seen
from server.log import why_not
from server.looks import counting, judged, unmoved
from server.service import throw
from server.stage import UNWRITABLE, Phase, Stage
from vision.camera import CameraLost
from vision.reading import as_json
from vision.rest import CameraFrozen

logger = logging.getLogger(__name__)

REFUSALS = 3
"""So many refused readings of one throw are a fault."""


class Thrower:
    """Carries out the throws that were pressed for; whatever goes wrong in one is a fault on the stage."""

    def __init__(self, stage: Stage, tower: Tower, eye: Eye, load: Callable[[int], None]) -> None:
        self._stage, self._tower, self._eye, self._load = stage, tower, eye, load

    def trouble(self) -> tuple[str, str] | tuple[()]:
        """What forbids a throw now on the side of tower or camera: a fault's name and its sentence."""
        trouble = self._tower.trouble()
        if trouble:
            return trouble.name, str(trouble)
        return self.unseeing

    @property
    def unseeing(self) -> tuple[str, str] | tuple[()]:
        """That the camera is lost, as a fault's name and its sentence; empty while it sees."""
        lost = self._eye.lost  # asked once: the camera may come back meanwhile
        return ("camera-lost", lost) if lost else ()

    def throw(self, press: int) -> None:
        """Throw for the press of that event until a reading is good, or latch a fault."""
        stage = self._stage
        token = throw.set(press)
        try:
            # It may have waited for the throw before it, and been stopped meanwhile.
            self._check_goes_on(press)
            self._load(stage.standing.asked.get("needs", 0))
            self._throw_until_read(press)
        except Interrupted:
            # By a fault, or by closing: then the throw is void at the next start.
            logger.info("A throw was stopped.")
        except TowerFault as fault:
            stage.latch(fault.name, str(fault))
        except CameraLost as error:
            stage.latch("camera-lost", str(error))
        except CameraFrozen as error:
            stage.latch("camera-frozen", str(error))
        except SeedLost as lost:
            stage.latch_unwritten(lost, f"{lost} Clear the fault: then another one is promised.")
        except UNWRITABLE as error:
            told = f"The throw could not be written down: {why_not(error)}, then clear the fault."
            stage.latch_unwritten(error, told)
        except Exception:
            logger.exception("A throw failed.")
            stage.latch("internal", "The program failed; its journal says where. Clear the fault to go on.")
        finally:
            throw.reset(token)

    def _throw_until_read(self, press: int) -> None:
        patience = self._eye.recorded or REFUSALS
        self._tumble(press)
        for refusals in range(1, patience + 1):
            self._enter(press, Phase.SETTLING)
            settled = self._eye.settle()
            self._enter(press, Phase.READING)
            with self._stage.metrics.reading():
                seen = self._eye.look(settled)
            if self._take(press, seen):
                return
            if refusals < patience and not self._eye.recorded:
                self._enter(press, Phase.TUMBLING)
                self._tumble(press)
        looked = "Not one of the recorded pictures" if self._eye.recorded else "None of three throws"
        self._stage.latch(
            "unreadable", f"{looked} could be read: look at the last picture and mend its reason, then clear the fault."
        )

    def _enter(self, press: int, phase: Phase) -> None:
        with self._stage.lock:
            self._check_goes_on(press)
            self._stage.enter(phase)

    def _check_goes_on(self, press: int) -> None:
        """Interrupted where a fault has ended that throw, also if it was cleared since and another one was begun."""
        stage = self._stage
        with stage.lock:
            if stage.closing or stage.phase is Phase.FAULT or stage.standing.press != press:
                raise Interrupted("The machine is being closed, or somebody stopped it.")

    def _tumble(self, press: int) -> None:
        standing, chance = self._stage.standing, self._stage.chance
        if chance is not None and standing.seed is not None:
            # Counted by the looks that were committed: whoever pulls the plug gets the same dice again.
            chance.deal(standing.seed, standing.draws + 1)
        self._check_goes_on(press)
        self._tower.tumble()

    def _take(self, press: int, seen: Seen) -> bool:
        """Commit what was seen; whether it ended the throw."""
        stage = self._stage
        with stage.lock:
            self._check_goes_on(press)
            trouble = self._tower.trouble()
            if trouble:
                # A lid that was opened while the dice were read: nobody knows what lies there now.
                stage.latch(trouble.name, str(trouble))
                return True
            asked = stage.standing.asked
            needs = asked.get("needs", 0)
            reading = judged(seen.reading, needs)
            body: dict[str, Any] = {"press": press, **asked, **as_json(reading)}
            for told, die in zip(body["dice"], reading.dice, strict=True):
                told |= {"others": list(die.others)} if die.others else {}
            for told, colour in zip(body["dice"], seen.bodies, strict=False):
                told["body"] = colour
            body |= {"size": seen.size, "source": seen.source or None, "again": seen.again}
            if seen.tray:
                body["tray"] = seen.tray
            if stage.draws:
                body["draw"] = stage.standing.draws + 1
            if not self._eye.recorded and unmoved(body, stage.standing.seen):
                stage.latch(
                    "dice-did-not-move",
                    "All dice lie where they lay: look whether the cone turns, then clear the fault.",
                )
                return True
            # A picture that no event names would look as if one had been cut out.
            body["frame"] = stage.log.keep_frame(seen.jpeg) if seen.jpeg is not None else None
            if not reading.ok:
                stage.commit("refused", body)
                return False
            if "soak" not in asked:
                counted = counting(body["dice"], body)
                body |= {"counted": counted, "faces": [body["dice"][index]["face"] for index in counted]}
            stage.phase = Phase.READY
            stage.commit("trial" if "soak" in asked else "throw", body)
            return True
