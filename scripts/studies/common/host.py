# SPDX-License-Identifier: BSD-2-Clause
"""What a study asks of the kernel that it runs in: commands, nodes, settings, counters."""

import contextlib
import os
import pathlib
import re
import resource
import shlex
import subprocess
import typing

ROOT = pathlib.Path(__file__).resolve().parents[3]
SGSTREAM = os.environ.get("SGSTREAM") or str(ROOT / "sgstream")
RUN_LIMIT_S = 60


class Refused(Exception):
    """Bad input, or a host on which the study cannot run"""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


class Failed(Exception):
    """A run that gave no figures; its text says why."""


class Ended(typing.NamedTuple):
    """A command that has ended"""

    argv: list
    status: int
    out: str
    err: str
    cpu_s: float


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(argv):
    before = cpu_of_children()
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise Failed(f"{argv[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"took more than {RUN_LIMIT_S} s") from None
    return Ended(argv, done.returncode, done.stdout, done.stderr, cpu_of_children() - before)


def said_by(ended):
    """What a command that ended well printed, on both its streams"""
    if ended.status:
        last = (ended.err or ended.out).strip().splitlines()[-1:]
        raise Failed(f"{shlex.join(ended.argv)}: exit status {ended.status}: {''.join(last)}")
    return ended.out + ended.err


def checked(*argv):
    """Runs what prepares a study; its failure ends the study."""
    try:
        said_by(run(argv))
    except Failed as failure:
        raise Refused(str(failure), 1) from None


def contender(name, **values):
    """The command of a reader that scripts/contenders.d/commands has, with its @words@ filled in"""
    for line in (ROOT / "scripts/contenders.d/commands").read_text().splitlines():
        fields = [field.strip() for field in line.split("|")]
        if fields[0] == name:
            command = re.sub(r"@(\w+)@", lambda word: str(values.get(word[1], word[0])), fields[4])
            return command.split()
    raise Refused(f"scripts/contenders.d/commands has no {name}", 1)


def version_of(tool):
    try:
        ended = run([tool, "-V" if tool.startswith(("sg_", "mkfs")) else "--version"])
    except Failed:
        return "not installed"
    found = re.search(r"\d+\.\d+(?:[\w.-]*\w)?", ended.out + ended.err)
    return found.group() if found else "unknown"


def cpu_model():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    return found.group(1) if found else os.uname().machine


# ---- nodes ----


def disk_folder(path):
    """/sys/block/X of a block node, of its disk when it is a partition, or of the disk below a file"""
    status = os.stat(path)
    number = status.st_rdev or status.st_dev
    folder = pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not folder.exists():
        raise Refused(f"{path}: no block device is known for it")
    folder = folder.resolve()
    return folder.parent if (folder / "partition").exists() else folder


def is_sg(path):
    return re.fullmatch(r"/dev/sg\d+", os.path.realpath(path)) is not None


def block_node(path):
    """/dev/sdX of /dev/sgN; any other node is its own."""
    if not is_sg(path):
        return path
    name = os.path.basename(os.path.realpath(path))
    found = list(pathlib.Path(f"/sys/class/scsi_generic/{name}/device/block").glob("*"))
    if not found:
        raise Refused(f"{path} has no block node (sd does not drive it), and this study reads through it")
    return f"/dev/{found[0].name}"


def sg_node(path):
    """/dev/sgN of /dev/sdX"""
    if is_sg(path):
        return path
    if disk_folder(path).name != os.path.basename(os.path.realpath(path)):
        raise Refused(
            f"{path} is a part of /dev/{disk_folder(path).name}; give the whole disk, which sg reads"
        )
    found = list((disk_folder(path) / "device/scsi_generic").glob("*"))
    if not found:
        raise Refused(
            f"{path} has no sg node (modprobe sg, if it is a SCSI device), and this study reads through it"
        )
    return f"/dev/{found[0].name}"


# ---- settings and counters ----


@contextlib.contextmanager
def setting(path, value):
    """A setting in /sys that is put back"""
    try:
        old = path.read_text().strip()
        path.write_text(str(value))
    except OSError as error:
        raise Failed(f"{path} cannot be set to {value}: {error.strerror}") from None
    try:
        yield
    finally:
        path.write_text(re.sub(r".*\[(.*)\].*", r"\1", old))


def disk_counters(folder):
    fields = [int(field) for field in (folder / "stat").read_text().split()]
    return {"reads": fields[0], "merged": fields[1], "sectors": fields[2], "ms": fields[3]}


@contextlib.contextmanager
def watched(path):
    """Gives a function that tells what reached the drive since: requests, their size, and the sum of
    their times, which by the time of the run is the mean depth at the drive."""
    folder = disk_folder(path)
    before = disk_counters(folder)

    def told(elapsed_ns):
        now = disk_counters(folder)
        count = {key: now[key] - before[key] for key in now}
        return {
            "drive_kib": count["sectors"] / 2 / max(count["reads"], 1),
            "drive_merged": count["merged"],
            "drive_depth": count["ms"] * 1e6 / elapsed_ns,
        }

    yield told


def cpu_ticks():
    line = pathlib.Path("/proc/stat").read_text().splitlines()[0]
    return [int(field) for field in line.split()[1:]]


@contextlib.contextmanager
def idle_watched():
    """Gives a function that tells which part of all CPUs nobody used since."""
    before = cpu_ticks()

    def told(_):
        spent = [now - then for now, then in zip(cpu_ticks(), before)]
        return {"idle_percent": 100 * (spent[3] + spent[4]) / max(sum(spent), 1)}

    yield told


# ---- the lab's own drives ----


def lab_drive(node):
    """Stands before all that is written: only a RAM drive of the lab's own kernel is passed on."""
    model = disk_folder(node) / "device/model"
    if not os.environ.get("LAB") or os.uname().nodename != "lab" or model.read_text().strip() != "scsi_debug":
        raise Refused(f"{node} is no drive of the lab, and a study writes to no other", 1)
    return node


def lab_drives(n):
    return [lab_drive(f"/dev/sd{chr(ord('a') + i)}") for i in range(n)]


def lab_delay(ns):
    """The time that the lab's drives take for a command, from now on"""
    pathlib.Path("/sys/bus/pseudo/drivers/scsi_debug/ndelay").write_text(str(ns))


def lab_modules(*names):
    for name in names:
        checked("lab-modprobe", name)
