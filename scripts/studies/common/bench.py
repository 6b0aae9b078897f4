# SPDX-License-Identifier: BSD-2-Clause
"""Runs the ways to read in rounds, and keeps what they gave."""

import contextlib
import dataclasses
import json
import shlex
import typing

from common.figures import known, summary
from common.host import SGSTREAM, Failed, run

ROUNDS = 12
QUICK_ROUNDS = 1
RATES = ("bytes_per_second", "cpu_s_per_gib", "busy_percent")


@dataclasses.dataclass
class Task:
    """One way to read"""

    of: dict  # what tells it from the others
    argv: list
    parse: typing.Callable  # parse(Ended): its figures, and perhaps "warnings"
    around: typing.Callable = contextlib.nullcontext  # the context of a run; may give a function of its time


def all_figures(ended):
    """Of sgstream read --json. Bytes are those that moved."""
    try:
        result = json.loads(ended.out)
    except ValueError:
        raise Failed(f"sgstream gave no JSON, exit status {ended.status}") from None
    if ended.status or not result.get("runs"):
        errors = [m["text"] for m in result["messages"] if m["level"] == "error"]
        raise Failed(errors[0] if errors else f"exit status {ended.status}")
    total = result["runs"][0]["total"]
    return {
        "bytes_per_second": total["bytes_per_second"],
        "iops": total["iops"],
        "elapsed_ns": total["elapsed_ns"],
        "bytes": total["bytes"],
        "cpu_s_per_gib": total["cpu"]["seconds_per_gib"],
        "busy_percent": total["cpu"]["host_busy_percent"],
        "latency_p50_ns": total["latency_ns"]["p50"],
        "latency_p99_ns": total["latency_ns"]["p99"],
        "in_flight": total["in_flight"]["mean"],
        "warnings": {m["code"]: m["text"] for m in result["messages"] if m["level"] == "warning"},
    }


def reader(of, devices, options, keep=RATES, around=contextlib.nullcontext):
    """A task of sgstream"""
    return Task(of, [SGSTREAM, *options.split(), "--json", *devices], KeptFigures(keep), around)


class KeptFigures:
    """The result of a study is small: of sgstream's figures, those that it needs."""

    def __init__(self, keep):
        self.keep = {*keep, "elapsed_ns", "warnings"}

    def __call__(self, ended):
        return {key: value for key, value in all_figures(ended).items() if key in self.keep}


class Bench:
    def __init__(self, quick, rounds, devices, in_lab):
        self.quick = quick
        self.rounds = rounds
        self.devices = devices
        self.in_lab = in_lab
        self.cells = []
        self.facts = {}

    def pick(self, full, quick):
        return quick if self.quick else full

    def run(self, tasks):
        """Each round begins elsewhere and every second one runs backwards, so that all have all
        places, while neighbours stay so. The round before them warms up and does not count."""
        cells = [Cell(task) for task in tasks]
        for at in range(0 if self.quick else -1, self.rounds):
            shift = at * 7 % len(cells)
            order = cells[shift:] + cells[:shift]
            for cell in reversed(order) if at % 2 else order:
                cell.run(counts=at >= 0)
        self.cells += [cell.summary() for cell in cells]


class Cell:
    def __init__(self, task):
        self.task = task
        self.rounds = []
        self.warnings = {}
        self.reason = None

    def run(self, counts):
        if self.reason:
            return
        try:
            with self.task.around() as told:
                figures = self.task.parse(run(self.task.argv))
                if told:
                    figures |= told(figures["elapsed_ns"])
        except Failed as failure:
            self.reason = str(failure)
            return
        warnings = figures.pop("warnings", {})
        if counts:
            self.rounds.append(figures)
            for code, text in warnings.items():
                count = self.warnings.get(code, {"runs": 0})["runs"]
                self.warnings[code] = {"runs": count + 1, "text": text}

    def summary(self):
        cell = {"of": self.task.of, "command": shown(self.task.argv)}
        if self.reason:
            return cell | {"reason": self.reason}
        rounds = {key: [figures.get(key) for figures in self.rounds] for key in self.rounds[0]}
        figures = {
            key: summary(values) for key, values in rounds.items() if 2 * len(known(values)) > len(values)
        }
        return cell | {"figures": figures} | ({"warnings": self.warnings} if self.warnings else {})


def shown(argv):
    return shlex.join("sgstream" if word == SGSTREAM else word for word in argv)
