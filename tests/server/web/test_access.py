"""The PIN: kept as a hash, guessed slowly, never shut to the console; sessions that end."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from server.web.access import (
    DEVICES,
    FREE_TRIES,
    LONGEST_WAIT_S,
    SESSION_S,
    SESSIONS,
    TRIES_AN_ADDRESS,
    TRIES_AN_HOUR,
    Access,
    BadPin,
    Brake,
    Wait,
    WrongPin,
)

PIN = "271828"


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def pin_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    directory = tmp_path_factory.mktemp("pin")
    Access(directory).set_pin(PIN)
    return (directory / "pin").read_bytes()


@pytest.fixture
def access(tmp_path: Path, clock: Clock, pin_file: bytes) -> Access:
    (tmp_path / "pin").write_bytes(pin_file)
    return Access(tmp_path, clock)


def test_a_pin_that_was_set_stays_when_the_power_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, sync = [], os.fsync

    def noted(descriptor: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "pin").exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    Access(tmp_path).set_pin(PIN)
    assert synced == [(False, False), (True, True)]


def test_only_a_hash_is_kept_and_only_the_owner_may_read_it(access: Access, tmp_path: Path) -> None:
    access.set_pin(PIN)
    secret = access.log_in(PIN, "10.0.0.1")
    for name in ("pin", "sessions"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        text = (tmp_path / name).read_text()
        assert PIN not in text
        assert secret not in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pin", "sessions"]


def test_the_same_pin_is_never_hashed_twice_alike(access: Access, tmp_path: Path) -> None:
    before = json.loads((tmp_path / "pin").read_text())
    access.set_pin(PIN)
    after = json.loads((tmp_path / "pin").read_text())
    assert before["hash"] != after["hash"]


@pytest.mark.parametrize(
    "pin", ["", "12345", "1" * 33, "12345a", "\u0661\u0662\u0663\u0664\u0665\u0666", "123456\n", " 123456"]
)
def test_a_pin_is_digits_and_enough_of_them(access: Access, pin: str) -> None:
    with pytest.raises(BadPin):
        access.set_pin(pin)
    assert access.log_in(PIN, None)


def test_a_session_survives_a_restart_and_ends_by_time_by_word_and_by_a_new_pin(
    access: Access, tmp_path: Path, clock: Clock
) -> None:
    first, second = access.open_session(), access.open_session()
    again = Access(tmp_path, clock)
    assert again.is_open(first)
    again.close_session(first)
    assert not again.is_open(first)
    assert again.is_open(second)
    Access(tmp_path, clock).set_pin("314159")  # as the command line does
    assert not again.is_open(second)
    third = again.open_session()
    clock.now += SESSION_S
    assert not again.is_open(third)


@pytest.mark.parametrize("secret", ["", "0" * 32, "x", PIN])
def test_what_is_no_session_opens_nothing(access: Access, secret: str) -> None:
    assert not access.is_open(secret)


def test_one_flipped_bit_in_a_file_lets_nobody_in_and_keeps_nobody_out(access: Access, tmp_path: Path) -> None:
    session, device = access.open_session(), access.know()
    whole = {name: (tmp_path / name).read_bytes() for name in ("sessions", "devices")}
    for name, content in whole.items():
        for bit in range(0, 8 * len(content), 7):
            damaged = bytearray(content)
            damaged[bit // 8] ^= 1 << bit % 8
            (tmp_path / name).write_bytes(damaged)
            assert not access.is_open("0" * 32)
            assert not access.knows("0" * 32)
        (tmp_path / name).write_bytes(content)
        assert access.is_open(session)
        assert access.knows(device)
    kept = (tmp_path / "pin").read_text()
    for before, after in (("salt", "sald"), ("hash", "hasi"), ('"salt": "', '"salt": "g')):
        (tmp_path / "pin").write_text(kept.replace(before, after))
        with pytest.raises(WrongPin):
            access.log_in(PIN, None)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000])
def test_a_damaged_file_opens_nothing(access: Access, tmp_path: Path, text: str) -> None:
    secret = access.open_session()
    (tmp_path / "pin").write_text(text)
    assert not access.is_set
    assert not access.is_open(secret)
    with pytest.raises(WrongPin):
        access.log_in(PIN, None)


def test_nobody_waits_for_a_pipe_in_place_of_the_pin(access: Access, tmp_path: Path) -> None:
    (tmp_path / "pin").unlink()
    os.mkfifo(tmp_path / "pin")
    assert not access.is_set


def test_a_pin_that_cannot_be_kept_leaves_nothing_of_it(access: Access, tmp_path: Path) -> None:
    (tmp_path / "pin").unlink()
    (tmp_path / "pin").mkdir()
    with pytest.raises(OSError, match="directory"):
        access.set_pin("271828")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("pin")] == ["pin"]


def test_without_a_pin_nobody_is_let_in(tmp_path: Path, clock: Clock) -> None:
    access = Access(tmp_path, clock)
    assert not access.is_set
    with pytest.raises(WrongPin):
        access.log_in("", None)


def test_sessions_are_capped_and_the_oldest_gives_way(access: Access, clock: Clock) -> None:
    secrets = []
    for _ in range(SESSIONS + 1):
        clock.now += 1
        secrets.append(access.open_session())
    assert [access.is_open(secret) for secret in secrets] == [False] + [True] * SESSIONS


def test_an_address_waits_twice_as_long_each_time(clock: Clock) -> None:
    brake = Brake(clock)
    for _ in range(FREE_TRIES):
        brake.begin("a")
    waits = []
    for _ in range(5):
        with pytest.raises(Wait) as wait:
            brake.begin("a")
        waits.append(wait.value.seconds)
        clock.now += wait.value.seconds
        brake.begin("a")
    assert waits == [2, 4, 8, 16, 32]
    brake.begin("b")


def test_everybody_together_has_so_many_tries_an_hour(clock: Clock) -> None:
    brake = Brake(clock)
    for number in range(TRIES_AN_HOUR):
        brake.begin(f"10.0.0.{number}")
    assert brake.wrong == TRIES_AN_HOUR
    with pytest.raises(Wait) as wait:
        brake.begin("10.0.1.1")
    assert wait.value.seconds == LONGEST_WAIT_S
    clock.now += LONGEST_WAIT_S
    brake.begin("10.0.1.1")
    assert brake.wrong == 1


def guess(brake: Brake, clock: Clock, address: str) -> int:
    """Guess for as long as less than an hour's wait allows; how many tries were counted."""
    tries = 0
    while True:
        try:
            brake.begin(address)
            tries += 1
        except Wait as wait:
            if wait.seconds > 60:
                return tries
            clock.now += wait.seconds


def test_one_address_does_not_use_up_what_all_have(clock: Clock) -> None:
    brake = Brake(clock)
    assert guess(brake, clock, "a") == TRIES_AN_ADDRESS
    brake.begin("b")


def test_a_known_device_is_let_in_when_guests_have_used_up_all_tries(access: Access, clock: Clock) -> None:
    access.log_in(PIN, "10.0.0.1")
    device = access.know()
    assert sum(guess(access.brake, clock, f"10.0.1.{number}") for number in range(9)) == TRIES_AN_HOUR
    for stranger in ("", "0" * 32, device[:-1]):
        with pytest.raises(Wait):
            access.log_in(PIN, "10.0.0.1", stranger)
    assert access.is_open(access.log_in(PIN, "10.0.0.1", device))
    assert not access.is_open(device)


def test_a_known_device_that_guesses_is_slowed_by_itself(access: Access, clock: Clock) -> None:
    device = access.know()
    for _ in range(FREE_TRIES):
        with pytest.raises(WrongPin):
            access.log_in("000000", "10.0.0.1", device)
    with pytest.raises(Wait):
        access.log_in(PIN, "10.0.0.2", device)
    assert access.log_in(PIN, "10.0.0.2", access.know())


def test_known_devices_survive_a_restart_and_are_capped(access: Access, clock: Clock, tmp_path: Path) -> None:
    devices = []
    for _ in range(DEVICES + 1):
        clock.now += 1
        devices.append(access.know())
    again = Access(tmp_path, clock)
    assert [again.knows(device) for device in devices] == [False] + [True] * DEVICES
    assert (tmp_path / "devices").stat().st_mode & 0o777 == 0o600


def test_a_try_that_comes_too_soon_is_not_counted_and_a_right_one_forgives(clock: Clock) -> None:
    brake = Brake(clock)
    for _ in range(FREE_TRIES):
        brake.begin("a")
    for _ in range(100):
        with pytest.raises(Wait):
            brake.begin("a")
    assert brake.wrong == FREE_TRIES
    brake.forgive("a")
    brake.begin("a")


def test_a_clock_set_back_locks_nobody_out(clock: Clock) -> None:
    brake = Brake(clock)
    for _ in range(TRIES_AN_HOUR):
        clock.now += 3
        try:
            brake.begin("a")
        except Wait as wait:
            clock.now += wait.seconds
    clock.now -= 366 * 86_400
    brake.begin("a")


def test_a_guest_who_comes_while_another_pin_is_looked_at_is_told_to_wait_and_the_console_is_not(
    access: Access,
) -> None:
    assert access._checking.acquire()
    with pytest.raises(Wait, match="Another PIN"):
        access.log_in(PIN, "10.0.0.1")
    opened: list[str] = []
    console = threading.Thread(target=lambda: opened.append(access.log_in(PIN, None)))
    console.start()
    access._checking.release()
    console.join()
    assert opened


def test_the_right_pin_is_refused_too_while_it_is_too_soon_and_the_console_never(access: Access) -> None:
    for number in range(TRIES_AN_HOUR):
        access.brake.begin(str(number))
    with pytest.raises(Wait):
        access.log_in(PIN, "10.0.0.1")
    assert access.log_in(PIN, None)
