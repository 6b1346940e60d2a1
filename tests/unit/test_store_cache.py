"""Where stores are kept: found again, capped, never taken away from a reader, never a reason to fail."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.config import cache_dir
from tui.readers import tables
from tui.readers.csv_import import import_table
from tui.readers.tables import PartRequest, TableRequest, cached_table, import_to_store, open_table
from tui.store import cache

RequestOf = Callable[..., TableRequest]


@pytest.fixture(autouse=True)
def own_locks() -> Iterator[None]:
    yield
    cache.release_all()


@pytest.fixture
def request_of(tmp_path: Path) -> RequestOf:
    """Makes requests for small files of their own."""

    def make(name: str, rows: int = 3, device: str = "") -> TableRequest:
        path = tmp_path / f"{name}.csv"
        path.write_text("Op Name,Task Duration(us)\n" + "".join(f"{name}{i},{i}\n" for i in range(rows)))
        return TableRequest("ops", (PartRequest(str(path), device, "op_summary"),))

    return make


def stores() -> list[Path]:
    return sorted(path for path in (cache_dir() / "tables").iterdir())


def test_the_second_opening_maps_the_store(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    request = request_of("a")
    assert cached_table(request) is None
    open_table(request)
    monkeypatch.setattr(tables, "import_table", None)
    assert open_table(request).row_count == 3
    assert len(stores()) == 1


def test_folders_are_private(request_of: RequestOf) -> None:
    open_table(request_of("a"))
    for folder in (cache_dir(), cache_dir() / "tables", *stores()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("change", ["size", "mtime", "inode", "device", "version"])
def test_whatever_changes_gives_another_store(
    request_of: RequestOf, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = request_of("a")
    path = Path(request.parts[0].path)
    open_table(request)
    status = path.stat()
    if change == "size":
        path.write_text(path.read_text() + "b,1\n")
    elif change == "mtime":
        os.utime(path, ns=(0, status.st_mtime_ns + 1))
    elif change == "inode":
        path.rename(path.with_suffix(".old"))
        path.write_text(path.with_suffix(".old").read_text())
        os.utime(path, ns=(0, status.st_mtime_ns))
    elif change == "device":
        request = TableRequest("ops", (PartRequest(str(path), "7", "op_summary"),))
    else:
        monkeypatch.setattr(tables, "READER_VERSION", -1)
    assert cached_table(request) is None


def test_stores_used_longest_ago_go_first(request_of: RequestOf) -> None:
    folders: list[Path] = []
    for index, name in enumerate("abc"):
        open_table(request_of(name, rows=1000))
        (folder,) = set(stores()) - set(folders)
        folders.append(folder)
        os.utime(folder / "lock", (index, index))
    cache.release_all()
    size = sum(file.stat().st_size for file in folders[0].iterdir())
    assert cache.shrink(int(2.5 * size)) == [folders[0]]
    assert stores() == sorted(folders[1:])


def test_a_store_that_is_open_elsewhere_is_not_removed(request_of: RequestOf, repository: Path) -> None:
    request = request_of("a")
    open_table(request)
    cache.release_all()
    (folder,) = stores()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repository
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    assert cache.shrink(0) == []
    holder.communicate()
    assert cache.shrink(0) == [folder]
    assert stores() == []


HOLDER = """
import sys
import tempfile
from pathlib import Path
from tui.store import cache
cache.hold(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_removed_store_stays_readable_for_who_has_it(request_of: RequestOf) -> None:
    table = open_table(request_of("a", rows=50_000))
    cache.release_all()
    cache.shrink(0)
    assert stores() == []
    values = table.number("task_duration_us")
    assert values is not None
    assert values.sum() == 50_000 * 49_999 / 2


def test_what_a_crash_left_behind_is_cleaned_up(request_of: RequestOf, repository: Path) -> None:
    path = request_of("a").parts[0].path
    subprocess.run([sys.executable, "-c", CRASH, path], check=True, cwd=repository)
    (folder,) = stores()
    assert folder.name.startswith(".new-")
    assert cache.shrink(1 << 30) == [folder]
    assert stores() == []


CRASH = """
import os
import sys
import tempfile
from tui.readers.csv_import import import_table
from tui.readers.tables import PartRequest, TableRequest, import_to_store
running = import_to_store(TableRequest("ops", (PartRequest(sys.argv[1]),)), every_s=0.0)
next(running)
os._exit(0)
"""


def test_a_store_in_the_making_is_not_cleaned_up(request_of: RequestOf) -> None:
    running = import_to_store(request_of("a"), every_s=0.0)
    next(running)
    assert cache.shrink(0) == []
    assert list(running)[-1].done


def test_a_folder_taken_for_a_leftover_is_made_anew_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process clears up just between the making of the folder and its locking."""
    made: list[str] = []
    really = tempfile.mkdtemp

    def raced(prefix: str, dir: Path) -> str:  # noqa: A002
        made.append(really(prefix=prefix, dir=dir))
        if len(made) < 3:
            assert cache.shrink(cache.DEFAULT_CAP_BYTES) == [Path(made[-1])]
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", raced)
    folder = next(cache.new_folders())
    assert folder == Path(made[2])
    assert folder.parent == cache_dir() / "tables"
    assert stores() == [folder]


def test_a_damaged_store_is_made_again(request_of: RequestOf) -> None:
    request = request_of("a")
    open_table(request)
    cache.release_all()
    (folder,) = stores()
    (folder / "c001.npy").write_bytes(b"")
    assert open_table(request).row_count == 3
    assert (folder / "c001.npy").stat().st_size > 0


def test_a_cap_of_nothing_keeps_nothing(request_of: RequestOf) -> None:
    assert open_table(request_of("a"), cap_bytes=0).row_count == 3
    cache.release_all()
    assert stores() == []


def test_a_cache_that_cannot_be_written_is_no_error(
    request_of: RequestOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder is wanted")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    table = open_table(request_of("a"))
    assert table.row_count == 3
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == [f"npuscope-{os.getuid()}"]
    cache.release_all()
    assert list((tmp_path / "elsewhere" / f"npuscope-{os.getuid()}").iterdir()) == []


def test_a_full_disk_moves_the_store_elsewhere(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    real = import_table
    tried: list[Path] = []

    def full_once(request: TableRequest, folder: Path, every_s: float, helper: bool) -> Iterator[object]:
        tried.append(folder)
        if len(tried) == 1:
            raise OSError(28, "No space left on device")
        return real(request, folder, every_s, helper)

    monkeypatch.setattr(tables, "import_table", full_once)
    assert open_table(request_of("a")).row_count == 3
    assert len(tried) == 2
    assert not tried[0].exists()
