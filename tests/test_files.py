"""Where things are kept: the cache, also where neither the installation nor the home can be written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

import pytest
from numba.core.caching import Cache

import equipoise
from equipoise import files
from equipoise.files import cache_folder, write_atomically
from equipoise.numerics import compilation, threads


@pytest.fixture(autouse=True)
def _told_afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary folders in ``tmp_path``, and none in use before."""
    files._temporary_cache.cache_clear()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.delenv("EQUIPOISE_CACHE", raising=False)


def test_the_cache_is_where_it_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EQUIPOISE_CACHE", str(tmp_path / "of" / "mine"))
    assert cache_folder() == tmp_path / "of" / "mine"
    assert cache_folder().is_dir()
    monkeypatch.delenv("EQUIPOISE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert cache_folder() == tmp_path / "cache" / "equipoise"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "equipoise"


@pytest.mark.parametrize("variable", ["EQUIPOISE_CACHE", "XDG_CACHE_HOME"])
def test_a_cache_that_cannot_be_made_is_temporary_and_that_is_said_once(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, str(tmp_path / "file"))
    folder = cache_folder()
    assert folder.parent == tmp_path / "tmp"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert cache_folder() == folder
    [said] = caplog.messages
    assert str(tmp_path / "file") in said
    assert str(folder) in said


def test_a_user_without_a_home_leaves_nothing_where_she_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert cache_folder().parent == tmp_path / "tmp"
    assert os.listdir(tmp_path) == ["tmp"]


def test_nobody_else_s_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found in the cache is run, so a folder that others can write will not do."""
    monkeypatch.setenv("EQUIPOISE_CACHE", os.devnull)
    theirs = tmp_path / "tmp" / f"equipoise-{os.getuid()}"
    theirs.mkdir()
    theirs.chmod(0o777)
    assert cache_folder() != theirs
    files._temporary_cache.cache_clear()
    theirs.chmod(0o700)
    assert cache_folder() == theirs
    files._temporary_cache.cache_clear()
    theirs.rename(tmp_path / "elsewhere")
    theirs.symlink_to(tmp_path / "elsewhere")
    assert cache_folder() != theirs


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EFBIG, errno.EDQUOT])
def test_a_full_disk_keeps_no_compiled_code_and_stops_nobody(
    code: int, caplog: pytest.LogCaptureFixture
) -> None:
    def save(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    compilation.listen()
    compilation._say_once.cache_clear()
    ours = SimpleNamespace(
        _py_func=SimpleNamespace(__module__="equipoise.cards.deck"),
        _guard_against_spurious_io_errors=nullcontext,
        _save_overload=save,
    )
    for _ in range(2):
        Cache.save_overload(ours, None, None)
    [said] = caplog.messages
    assert os.strerror(code) in said
    ours._py_func.__module__ = "somebody.else"
    with pytest.raises(OSError, match=os.strerror(code)):
        Cache.save_overload(ours, None, None)


def test_a_read_only_installation_without_a_home_solves(tmp_path: Path) -> None:
    """Files in the way of every folder for compiled code stop the superuser too."""
    copy = tmp_path / "read only" / "equipoise"
    # Every kernel of a small solve, and nothing large.
    shutil.copytree(
        Path(equipoise.__file__).parent,
        copy,
        ignore=shutil.ignore_patterns("__pycache__", "*.eqp"),
    )
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    (tmp_path / "home").touch()
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NUMBA_CACHE_DIR", "EQUIPOISE_CACHE", "XDG_CACHE_HOME")
    }
    environment |= {
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(copy.parent),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    solve = [sys.executable, "-m", "equipoise", "solve", "kuhn", "--method", "cfr+", "--json"]
    done = subprocess.run(
        solve, cwd=tmp_path / "tmp", env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("EQUIPOISE_CACHE names another place") == 1
    kept = tmp_path / "tmp" / f"equipoise-{os.getuid()}"
    assert list(kept.rglob("numba-*/**/*.nbi"))


def test_code_compiled_from_other_sources_is_forgotten(tmp_path: Path) -> None:
    """Numba does not notice that a function changed which a kernel of another file has taken in."""
    package = tmp_path / "package"
    kept = package / "deep" / "__pycache__" / "kernel.nbi"
    kept.parent.mkdir(parents=True)
    (package / "__pycache__").mkdir()
    (package / "deep" / "kernel.py").write_text("x = 1\n")
    kept.touch()
    files._forget_older_code(package, files._stamp(str(package)))
    assert not kept.exists()
    kept.touch()
    files._forget_older_code(package, files._stamp(str(package)))
    assert kept.exists()
    (package / "helper.py").write_text("y = 2\n")
    files._forget_older_code(package, files._stamp(str(package)))
    assert not kept.exists()


def test_cores_where_the_system_does_not_say_which(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS, which has no ``os.sched_getaffinity``."""
    monkeypatch.delenv("EQUIPOISE_THREADS", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert threads.cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert threads.cores() == 1


def test_a_place_for_compiled_code_is_found_when_numba_comes(tmp_path: Path) -> None:
    """Not before: ``import equipoise`` looks at no files."""
    code = (
        "import os, sys, equipoise; before = len(sys.meta_path); "
        "assert 'equipoise.files' not in sys.modules; import numba; "
        "assert 'equipoise.files' in sys.modules; assert len(sys.meta_path) == before - 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="pipes with names, and links anybody may make")
def test_what_is_no_file_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Whoever opens it for both ends waits for nobody.
    end = os.open(pipe, os.O_RDWR)
    try:
        write_atomically(pipe, lambda file: file.write(b"new"))
        assert (pipe.is_fifo(), os.read(end, 10)) == (True, b"new")
    finally:
        os.close(end)
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to("target")
    for _ in range(2):
        write_atomically(link, lambda file: file.write(b"kept"))
        assert (link.is_symlink(), target.read_bytes()) == (True, b"kept")
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def test_two_writers_at_once_do_not_meet(tmp_path: Path) -> None:
    """The second begins and ends while the first is at work; either file is whole, the later one stays."""
    place = tmp_path / "file"

    def first(file: BinaryIO) -> None:
        file.write(b"fir")
        write_atomically(place, lambda other: other.write(b"second"))
        assert place.read_bytes() == b"second"
        assert (
            len(os.listdir(tmp_path)) == 3
        )  # with the first one's part, and the folder for caches
        file.write(b"st")

    write_atomically(place, first)
    assert place.read_bytes() == b"first"
    assert sorted(os.listdir(tmp_path)) == ["file", "tmp"]


def test_processes_that_write_at_once_leave_whole_files(tmp_path: Path) -> None:
    """Each writes its own letter again and again: whatever is read at any time is of one letter."""
    place = tmp_path / "file"
    code = (
        "import sys\n"
        "from equipoise.files import write_atomically\n"
        "for _ in range(60):\n"
        "    write_atomically(sys.argv[1], lambda file: [file.write(sys.argv[2].encode() * 4096) for _ in range(9)])\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, place, letter], stderr=subprocess.PIPE)
        for letter in "abc"
    ]
    while any(writer.poll() is None for writer in writers):
        if place.exists():
            found = place.read_bytes()
            assert (len(found), len(set(found))) == (9 * 4096, 1)
        time.sleep(0.001)
    assert [(writer.returncode, writer.communicate()[1]) for writer in writers] == [(0, b"")] * 3
    assert sorted(os.listdir(tmp_path)) == ["file", "tmp"]


@pytest.mark.skipif(os.name != "posix", reason="locks of files")
def test_what_a_killed_writer_leaves_is_removed(tmp_path: Path) -> None:
    place = tmp_path / "file"
    code = (
        "import os, signal, sys\n"
        "from equipoise.files import write_atomically\n"
        "write_atomically(sys.argv[1], lambda file: os.kill(os.getpid(), signal.SIGKILL))\n"
    )
    for remove in (
        lambda: write_atomically(place, lambda file: file.write(b"new")),
        partial(files.discard, place),
    ):
        subprocess.run([sys.executable, "-c", code, place], check=False)
        assert [name for name in os.listdir(tmp_path) if name.endswith(".part")]
        remove()
        assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]
    assert not place.exists()


def refuse_locks(*_: object) -> None:
    """As some file systems of clusters do."""
    raise OSError(errno.ENOSYS, "Function not implemented")


@pytest.mark.parametrize(
    "locks",
    [None, SimpleNamespace(flock=refuse_locks, LOCK_EX=2, LOCK_NB=4)],
    ids=["Windows", "a file system without locks"],
)
def test_without_locks_what_is_a_day_old_is_removed(
    locks: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "fcntl", locks)
    new, old, other = (
        tmp_path / name for name in (".file.00000000.part", ".file.part", ".files.part")
    )
    for part in (new, old, other):
        part.touch()
    for part in (old, other):
        os.utime(part, (0, 0))
    write_atomically(tmp_path / "file", lambda file: file.write(b"new"))
    assert (new.exists(), old.exists(), other.exists()) == (True, False, True)
    assert (tmp_path / "file").read_bytes() == b"new"
