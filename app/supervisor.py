"""Keep workers alive: start them, start dead ones again, replace them, end them.

Each worker sends a sign of life through a pipe, which also ends with the supervisor: that is how
a worker learns that nobody looks after it any more.

    SIGTERM, SIGINT   end: workers finish what they are asked; a second SIGINT ends them at once
    SIGHUP            replace the workers one by one; of a terminal that is gone: end
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from app.metrics import forget
from engine.errors import TriadError
from store import trust

log = logging.getLogger("triad.supervisor")

SILENCE_SECONDS = 60.0  # without a sign of life; a worker that compiles its kernels is slow
LOOK_SECONDS = 0.25
CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT")
RESTART_SECONDS = 1.0  # from one start of a worker to the next, so that a fault does not spin
# What a terminal sends to workers too: only the supervisor decides what it means.
TERMINAL_SIGNALS = {signal.SIGINT, signal.SIGHUP}

Work = Callable[[bool, Connection], None]  # does it succeed another one; how to give signs of life


class CannotServeError(TriadError):
    """The service cannot be started as asked."""


@contextmanager
def kept_from_children(signals: set[signal.Signals]) -> Iterator[None]:
    """Have processes that are started meanwhile not see these signals; here they come later."""
    resource_tracker.ensure_running()  # multiprocessing's own process; its start unblocks signals
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)


class Worker:
    """A process that serves."""

    def __init__(self, work: Work, is_successor: bool) -> None:
        """Start it."""
        self._ear, mouth = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.get_context("spawn").Process(
            target=work, args=(is_successor, mouth)
        )
        with kept_from_children(TERMINAL_SIGNALS):
            self.process.start()
        mouth.close()
        self.began = time.monotonic()
        self.is_serving = False
        self._silence = 0.0

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.process.pid or 0

    def listen(self) -> None:
        """Take its signs of life; kill it when there has been none for long.

        Silence is counted in looks, not by the clock: after a stop of all, everybody gets time.
        """
        self._silence += LOOK_SECONDS
        with suppress(EOFError, OSError):  # then it is dead, which is seen elsewhere
            while self._ear.poll():
                self.is_serving = self._ear.recv()
                self._silence = 0.0
        if self._silence > SILENCE_SECONDS:
            log.error("worker gives no sign of life and is killed", extra={"pid": self.pid})
            self.process.kill()

    def ending(self) -> dict[str, Any]:
        """Return how a dead one ended."""
        self._ear.close()
        code = self.process.exitcode or 0
        how = {"signal": signal.Signals(-code).name} if code < 0 else {"exit_code": code}
        return {"pid": self.pid, **how}


class Supervisor:
    """Looks after some workers."""

    def __init__(
        self, work: Work, count: int, patience: float, let_go: Callable[[], None] = lambda: None
    ) -> None:
        """Have `count` processes do `work`; told to end, they have `patience` seconds.

        What this process itself holds is `let_go` of when they are told.
        """
        self._let_go = let_go
        self._work, self._count, self._patience = work, count, patience
        self._workers: list[Worker] = []
        self._passing: list[Worker] = []  # they come or go, and are not started again
        self._is_ending = self._is_hurried = self._is_renewing = False

    def run(self) -> None:
        """Serve until told to end; raise `KeyboardInterrupt` when it was to be at once."""
        self._hear_signals()
        self._workers = [self._started(is_successor=False) for _ in range(self._count)]
        try:
            while not self._is_ending:
                self._look()
                if self._is_renewing:
                    self._is_renewing = False
                    self._renew()
        finally:
            self._end()

    def _hear_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask_to_end)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
            hang_up = self._ask_to_end if sys.stderr.isatty() else self._ask_to_renew
            signal.signal(signal.SIGHUP, hang_up)
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN)  # they mean nothing here, and would end it

    def _ask_to_end(self, number: int, _: object) -> None:
        # SIGTERM may come twice by itself: to the process, and to its group.
        self._is_hurried = self._is_ending and number == signal.SIGINT
        self._is_ending = True

    def _ask_to_renew(self, *_: object) -> None:
        self._is_renewing = True

    def _started(self, is_successor: bool = True) -> Worker:
        worker = Worker(self._work, is_successor)
        log.info("worker started", extra={"pid": worker.pid})
        return worker

    def _look(self) -> None:
        """Wait a moment, or until a worker dies; see how all are."""
        everyone = [*self._workers, *self._passing]
        dead = wait([worker.process.sentinel for worker in everyone], LOOK_SECONDS)
        for worker in everyone:
            worker.listen()
            if worker.process.sentinel in dead:
                self._bury(worker)

    def _bury(self, worker: Worker) -> None:
        """Start a dead worker again, unless it was to end."""
        worker.process.join()
        ending = worker.ending()
        forget(worker.pid)
        if worker in self._passing:
            self._passing.remove(worker)
            log.info("worker ended", extra=ending)
            return
        self._workers.remove(worker)
        log.warning("worker died", extra=ending)
        if ending.get("signal") in CRASHES:  # it may have read a damaged database
            trust.forget()
        if self._is_ending:
            return
        served = worker.is_serving or any(other.is_serving for other in self._workers)
        if ending.get("exit_code") and not served:
            code = worker.process.exitcode
            raise CannotServeError(f"a worker ended with exit code {code} before it served")
        time.sleep(max(0.0, worker.began + RESTART_SECONDS - time.monotonic()))
        self._workers.append(self._started())

    def _renew(self) -> None:
        """Replace each worker by a new one, which serves before the old one ends."""
        log.info("workers are replaced")
        for _ in range(self._count):
            new = self._started()
            self._passing.append(new)
            until = time.monotonic() + SILENCE_SECONDS
            while not new.is_serving and new in self._passing and time.monotonic() < until:
                self._look()
                if self._is_ending:
                    return
            if not new.is_serving:
                log.error("the new worker does not serve; the old ones stay")
                new.process.kill()
                return
            self._passing.remove(new)
            self._workers.append(new)
            self._dismiss(min(self._workers, key=lambda worker: worker.began))

    def _dismiss(self, worker: Worker) -> None:
        """Tell a worker to end."""
        self._workers.remove(worker)
        self._passing.append(worker)
        worker.process.terminate()

    def _end(self) -> None:
        """Tell all to end, and see to it that they do."""
        log.info("workers are told to end", extra={"seconds": self._patience})
        for worker in self._passing:
            worker.process.terminate()
        for worker in tuple(self._workers):
            self._dismiss(worker)
        self._let_go()
        until = time.monotonic() + self._patience
        while self._passing:
            self._look()
            if self._is_hurried or time.monotonic() > until:
                for worker in self._passing:
                    worker.process.kill()
        if self._is_hurried:
            raise KeyboardInterrupt
