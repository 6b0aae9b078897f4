# SPDX-License-Identifier: BSD-2-Clause
"""What all studies do: take options, run in the lab or here, keep the result, print it.

A study is a file in the folder above, which makes a Study of what is its own and calls main().
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import typing

from common import page
from common.bench import QUICK_ROUNDS, ROUNDS, Bench
from common.figures import ENOUGH
from common.host import ROOT, SGSTREAM, Failed, Refused, cpu_model, run, version_of

SCHEMA = "sgstream-study/1"


@dataclasses.dataclass
class Study:
    name: str
    title: str
    question: str
    drives: str  # of the lab: parameters of scsi_debug
    mem: str
    lab_devices: typing.Callable  # lab_devices(): prepares the lab's drives, names those that are read
    measure: typing.Callable  # measure(bench)
    report: typing.Callable  # report(result): lines of Markdown
    plot: typing.Callable  # plot(result): lines for gnuplot
    hidden: tuple  # what the lab hides
    rounds: int = ROUNDS
    tools: tuple = ()
    takes_file: bool = False  # besides devices
    notes: str = ""  # for --help

    def lines(self, result):
        return page.head_lines(self, result) + self.report(result) + page.tail_lines(result, self.hidden)


def parse_options(study):
    parser = argparse.ArgumentParser(
        prog=study.name,
        usage=f"scripts/studies/{study.name} [OPTION...] [DEVICE...]",
        description=f"{study.title}. {study.question}",
        epilog="Without DEVICE in the lab, on RAM drives of its own; LAB_KERNEL picks the kernel. Devices are read "
        f"only; settings of the kernel are put back. {study.notes}",
    )
    parser.add_argument(
        "--quick", action="store_true", help="seconds, to see that it works; the figures mean nothing"
    )
    parser.add_argument(
        "--rounds", metavar="N", help=f"rounds that count (default {study.rounds}; a verdict needs {ENOUGH})"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="where the result goes (default build/studies/NAME.json)"
    )
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("devices", nargs="*", metavar="DEVICE")
    parser.error = refuse
    return parser.parse_args()


def refuse(text):
    raise Refused(f"{text}; try --help")


def check_device(study, path):
    if not os.path.exists(path):
        raise Refused(f"{path}: there is no such node; sgstream list shows those that are there")
    mode = os.stat(path).st_mode
    if not (stat.S_ISBLK(mode) or stat.S_ISCHR(mode) or study.takes_file and stat.S_ISREG(mode)):
        raise Refused(f"{path} is no device; give it the node of one, such as /dev/sg1")


def check_options(study, options):
    if options.rounds is not None:
        if not re.fullmatch(r"[1-9][0-9]?", options.rounds):
            raise Refused(f"--rounds wants 1 to 99, not '{options.rounds}'")
        options.rounds = int(options.rounds)
    for device in options.devices:
        check_device(study, device)
    if options.measure and not os.environ.get("LAB"):
        raise Refused("--measure is for the lab's own use")
    if options.json and not os.path.isdir(os.path.dirname(os.path.abspath(options.json))):
        raise Refused(f"--json: there is no folder for '{options.json}'")
    if not os.access(SGSTREAM, os.X_OK):
        raise Refused(f"there is no program {SGSTREAM}: run make first", 1)


def own_version():
    try:
        tool = json.loads(run([SGSTREAM, "list", "--json"]).out)["tool"]
    except (Failed, ValueError, KeyError):
        return "unknown"
    return f"{tool['version']} ({tool['commit']})"


def measured(study, options, devices, in_lab):
    """Measures in the kernel that runs here."""
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else study.rounds)
    bench = Bench(options.quick, rounds, devices, in_lab)
    study.measure(bench)
    versions = {"sgstream": own_version()} | {tool: version_of(tool) for tool in study.tools}
    return {
        "kernel": os.uname().release,
        "cpus": os.cpu_count(),
        "lab": os.environ.get("LAB") if in_lab else None,
        "devices": devices,
        "rounds": bench.rounds,
        "quick": options.quick,
        "versions": versions,
        "facts": bench.facts,
        "cells": bench.cells,
    }


def lab_command(study, options, out):
    kernel = os.environ.get("LAB_KERNEL")
    inner = [f"scripts/studies/{study.name}", "--measure", f"{out}/result.json", *["--quick"] * options.quick]
    inner += ["--rounds", str(options.rounds)] if options.rounds else []
    return [
        "scripts/lab",
        *(["--kernel", kernel] if kernel else []),
        "--timeout",
        "290s",
        "--out",
        out,
        "--mem",
        study.mem,
        "--allow-dio",
        "1",
        "--env",
        f"SGSTREAM={os.path.abspath(SGSTREAM)}",
        "--scsi-debug",
        study.drives,
        "--",
        *inner,
    ]


def measured_in_lab(study, options):
    with tempfile.TemporaryDirectory() as out:
        status = subprocess.run(
            lab_command(study, options, out), cwd=ROOT, stdin=subprocess.DEVNULL, check=False
        ).returncode
        if status:
            raise Refused(f"the lab ended with status {status}", 1)
        return json.loads(pathlib.Path(out, "result.json").read_text()) | {"lab_drives": study.drives}


def whole_result(study, options):
    """With what only the outside knows"""
    before = os.getloadavg()
    now = datetime.datetime.now(datetime.timezone.utc)
    if options.devices:
        result = measured(study, options, options.devices, False)
    else:
        result = measured_in_lab(study, options)
    kernel = None if options.devices else os.environ.get("LAB_KERNEL")
    words = [f"LAB_KERNEL={kernel}"] if kernel else []
    words += [f"scripts/studies/{study.name}", *["--quick"] * options.quick]
    words += ["--rounds", str(options.rounds)] if options.rounds else []
    host = {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "kernel": os.uname().release,
        "load_before": [round(load, 2) for load in before],
        "load_after": [round(load, 2) for load in os.getloadavg()],
    }
    return {
        "schema": SCHEMA,
        "study": study.name,
        "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "invocation": shlex.join(words + options.devices),
        "host": host,
    } | result


def save(path, result):
    """What holds nothing but figures stands on one line."""

    def on_one_line(found):
        inside = " ".join(found.group()[1:-1].split())
        return found.group()[0] + inside + found.group()[-1]

    text = json.dumps(result, indent=1)
    for pattern in (r"\[[^\[\]{}]*\]", r"\{[^{}]*\}"):
        text = re.sub(pattern, on_one_line, text)
    try:
        pathlib.Path(path).write_text(text + "\n")
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}", 1) from None


def target(study, options):
    if options.json:
        return options.json
    folder = ROOT / "build/studies"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"{folder} cannot be made: {error.strerror}; give --json FILE", 1) from None
    return folder / f"{study.name}.json"


def run_study(study):
    options = parse_options(study)
    check_options(study, options)
    if options.measure:
        save(options.measure, measured(study, options, study.lab_devices(), True))
        return 0
    result = whole_result(study, options)
    print("\n".join(study.lines(result)))
    save(target(study, options), result)
    return 0 if any("figures" in cell for cell in result["cells"]) else 1


def stop(number, _):
    raise SystemExit(128 + number)


def main(study):
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        sys.exit(run_study(study))
    except Refused as refusal:
        print(f"{study.name}: {refusal}", file=sys.stderr)
        sys.exit(refusal.status)
