"""Results of items that come when they come: each as soon as it is its turn.

    items → one thread waits for them → a pool works them out → who takes the results, in order

A crew takes items and gives results in the same thread: while it waits for an item, nobody gets a
result that is ready. Here a thread of its own waits for items, never far ahead.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import TypeVar

from work.tasks import Task
from work.threads import AHEAD_PER_WORKER

T = TypeVar("T")
R = TypeVar("R")


def stream(task: Task[T, R], items: Iterable[T], workers: int) -> Generator[R]:
    """Return the result of every item, in order, with so many threads.

    Whoever stops asking half-way closes the generator: what has not begun never does, and the
    task is told to stop. An item that is still waited for then is taken and left.
    """
    waiting: SimpleQueue[Future[R] | None] = SimpleQueue()
    room = Semaphore(workers * AHEAD_PER_WORKER)
    given_up = Event()
    pool = ThreadPoolExecutor(workers, thread_name_prefix=task.name)

    def feed() -> None:
        try:
            for item in items:
                room.acquire()
                if given_up.is_set():
                    return
                waiting.put(pool.submit(task.run, item, 1))
        except Exception as error:  # noqa: BLE001  what is wrong with items is told in its turn
            failed: Future[R] = Future()
            failed.set_exception(error)
            waiting.put(failed)
        waiting.put(None)

    # Whoever waits for an item that never comes must not keep the process.
    Thread(target=feed, name=f"{task.name}-items", daemon=True).start()
    try:
        while future := waiting.get():
            yield future.result()
            room.release()
    finally:
        given_up.set()
        room.release()  # in case that it is waited for
        task.stop()
        pool.shutdown(cancel_futures=True)
