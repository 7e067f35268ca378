"""A database that grows: what adding, merging, opening and asking cost, small against large."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer, ElementSource
from engine.game.facts import Facts
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from precompute.crew import LocalCrew
from precompute.job import Job
from precompute.plan import plan_roots
from store import trust
from store.environment import Entry
from store.format import BLOCKS, DIRECTORY
from store.generations import CURRENT, Folder
from store.merge import merge, merge_due
from store.oracle import Oracle
from store.part_list import Part
from store.parts import Parts
from store.publish import publish_job
from store.reader import Reader
from store.writer import Writer
from tests.bench.calibration import calibrate
from tests.bench.figures import Amount, Duration, Figure
from tests.databases import PLENTY, Unwatched, later

REPEATS = 7
FEW, MANY, JOBS = 10, 10_000, 100
SINGLES = 1_000
COPIED = 100
LISTED = 1_000_000
PARTS = 64
SMALL, LARGE = 10 << 20, 1 << 30  # bytes
VALUE = 30_000  # bytes of a made-up block
IO = Path("/proc/self/io")


def small_roots(ply: int = 7) -> Iterator[State]:
    """Return roots that take a millisecond, no two of one deal."""
    rules = Rules.of(SWITCHES, Variant.FF8)
    dealer = Dealer(default_catalogue(), 15, rules, elements=ElementSource.FF8)
    for number in count():
        yield later(State.start(dealer.deal(number)), ply)


def add(path: Path, roots: Sequence[State]) -> None:
    """Add roots by one job, which merges nothing."""
    job = Job(Folder(path), default_catalogue(), LocalCrew(1, PLENTY), merges=False)
    job.run(plan_roots(roots, 8, default_catalogue()), resume=False, watch=Unwatched())


def parts_of(path: Path) -> Sequence[Part]:
    """Return the parts of a database."""
    current = Folder(path).current()
    return current.parts if current else ()


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that something takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def written_by(action: Callable[[], object]) -> int:
    """Return the bytes that something writes, as the system counts them: files of all kinds."""
    before = bytes_written()
    action()
    return bytes_written() - before


def bytes_written() -> int:
    """Return the bytes that this process has written."""
    (line,) = (line for line in IO.read_text().splitlines() if line.startswith("wchar:"))
    return int(line.split()[1])


def merge_all_due(path: Path) -> None:
    """Merge what is due."""
    folder = Folder(path)
    with folder.locked():
        merge_due(folder, default_catalogue(), lambda _: None)


def adding_figures(folder: Path) -> Iterator[Figure]:
    """Compare adding a deal to many with adding it to few."""
    roots = small_roots()
    few, many = folder / "few", folder / "many"
    add(few, [next(roots) for _ in range(FEW)])
    for _ in range(JOBS):
        add(many, [next(roots) for _ in range(MANY // JOBS)])
        merge_all_due(many)
    seconds: dict[Path, list[float]] = {few: [], many: []}
    sizes: dict[Path, int] = {}
    for _ in range(REPEATS):
        for path, samples in seconds.items():
            before = bytes_written()
            samples.append(timed(partial(add, path, [next(roots)])))
            sizes[path] = bytes_written() - before
            merge_all_due(path)
    medians = {path: statistics.median(samples) for path, samples in seconds.items()}
    yield Duration(f"adding a deal to {MANY:,}", medians[many], max(seconds[many]), calibrate())
    yield Amount(f"adding a deal to {MANY:,}", medians[many] / medians[few], f"x adding to {FEW}")
    yield Amount("bytes written for it", sizes[many] / 1e3, "KB")
    yield Amount("bytes written for it", sizes[many] / sizes[few], f"x adding to {FEW}")


def merging_figures(folder: Path) -> Iterator[Figure]:
    """Count what merging writes over many jobs of one deal."""
    roots = small_roots(5)
    path, written = folder / "singles", 0
    for _ in range(SINGLES):
        add(path, [next(roots)])
        written += written_by(partial(merge_all_due, path))
    yield Amount("parts after a thousand jobs of one deal", len(parts_of(path)), "parts")
    with Folder(path).locked():
        together = merge(Folder(path), default_catalogue()).parts[0].bytes  # no part's overhead
    yield Amount("size of such a deal", together / SINGLES / 1e3, "KB")
    yield Amount("merging over these jobs", written / together, "x its size, a deal")


def filled(path: Path, size: int) -> Path:
    """Return a database with values of so many bytes in all, most of them made up."""
    folder, chance = Folder(path), random.Random(0)
    add(path, [next(small_roots())])
    folder.begin(lambda part: Writer(part, default_catalogue()).__exit__())
    with Writer(folder.job, default_catalogue()) as writer:
        keys = sorted(chance.randbytes(16) for _ in range(size // VALUE))
        writer.append(Entry(BLOCKS, key, os.urandom(VALUE)) for key in keys)
    publish_job(folder, default_catalogue())
    return path


def listed(path: Path, deals: int) -> Path:
    """Return a database whose directory has so many keys, in parts of all sizes; nothing else."""
    folder, chance = Folder(path), random.Random(1)
    path.mkdir()
    while deals:
        share = max(1, deals // 2)
        folder.begin(lambda part: Writer(part, default_catalogue()).__exit__())
        with Writer(folder.job, default_catalogue()) as writer:
            keys = sorted(chance.randbytes(16) for _ in range(share))
            writer.append(Entry(DIRECTORY, key, key) for key in keys)
        publish_job(folder, default_catalogue())
        deals -= share
    return path


def directory_figures(folder: Path) -> Iterator[Figure]:
    """Time the opening of a database of many deals, which sorts their keys; and what it takes."""
    path = listed(folder / "listed", LISTED)
    seconds = [timed(partial(open_and_close, path)) for _ in range(REPEATS + 1)][1:]
    name = f"opening {LISTED:,} deals, checked before"
    yield Duration(name, statistics.median(seconds), max(seconds), calibrate())
    parts = Parts([path], default_catalogue())
    yield Amount("memory of their directory", parts.directory_bytes / LISTED, "bytes a deal")
    keys = [random.Random(2).getrandbits(128) for _ in range(LISTED // 100)]
    spent = timed(lambda: [parts.with_directory(key) for key in keys])
    yield Amount("asking it which parts have a deal", spent / len(keys) * 1e6, "us")
    parts.close()


def replica_figures(folder: Path) -> Iterator[Figure]:
    """Count what must travel to a replica after each of many jobs of one deal: new files alone."""
    roots = small_roots(5)
    path, there, travelled = folder / "origin", set[str](), 0
    for _ in range(COPIED):
        add(path, [next(roots)])
        merge_all_due(path)
        files = {str(file.relative_to(path)): file for file in path.rglob("*") if file.is_file()}
        travelled += sum(file.stat().st_size for name, file in files.items() if name not in there)
        there |= files.keys() - {CURRENT}
    yield Amount(f"copied to a replica after each of {COPIED} jobs", travelled / 1e6, "MB in all")
    yield Amount("copied, a job", travelled / 1e3 / COPIED, "KB")
    yield Amount("the database then", sum(part.bytes for part in parts_of(path)) / 1e6, "MB")


def open_and_close(path: Path) -> None:
    """Open a database."""
    Reader(path, default_catalogue()).close()


def ask_each(oracle: Oracle, asked: Sequence[Facts]) -> None:
    """Ask for states one by one."""
    for facts in asked:
        oracle.look_up([facts])


def opening_figures(folder: Path) -> Iterator[Figure]:
    """Compare opening a large database with opening a small one; time the first check."""
    small, large = filled(folder / "small", SMALL), filled(folder / "large", LARGE)
    part = max(parts_of(large), key=lambda part: part.bytes)
    file = Folder(large).served().file_of(part)
    seconds = [timed(lambda: trust.check(file, part.file, anew=True)) for _ in range(3)]
    rate = part.bytes / 1e6 / statistics.median(seconds[1:])
    yield Amount("first check of a part, from the page cache", rate, "MB/s")
    opening: dict[Path, list[float]] = {small: [], large: []}
    for _ in range(REPEATS + 1):
        for path, samples in opening.items():
            samples.append(timed(partial(open_and_close, path)))
    medians = {path: statistics.median(samples[1:]) for path, samples in opening.items()}
    yield Duration("opening 1 GB, checked before", medians[large], max(opening[large]), calibrate())
    yield Amount("opening 1 GB", medians[large] / medians[small], "x opening 10 MB")


def parts_figures(folder: Path) -> Iterator[Figure]:
    """Compare answers from many parts with answers from one."""
    roots = [root for root, _ in zip(small_roots(5), range(PARTS), strict=False)]
    many, one = folder / "parts", folder / "part"
    for root in roots:
        add(many, [root])
    add(one, roots)
    asked = [later(root, ply).facts for root in roots for ply in (5, 6, 7)]
    seconds: dict[Path, list[float]] = {many: [], one: []}
    for _ in range(REPEATS):
        for path, samples in seconds.items():
            reader = Reader(path, default_catalogue())
            oracle = Oracle(reader)
            oracle.look_up(asked)
            samples.append(timed(partial(ask_each, oracle, asked)))
            reader.close()
    medians = {path: statistics.median(samples) for path, samples in seconds.items()}
    yield Amount(f"an answer from {PARTS} parts", medians[many] / medians[one], "x from one")


def figures() -> Iterator[Figure]:
    """Measure everything."""
    for measure in (
        adding_figures,
        merging_figures,
        opening_figures,
        directory_figures,
        parts_figures,
        replica_figures,
    ):
        with tempfile.TemporaryDirectory() as folder:
            yield from measure(Path(folder))
