# SPDX-License-Identifier: BSD-2-Clause
"""Medians, their intervals, ratios within rounds, and when they agree with what was published."""

import dataclasses
import math
import statistics

ENOUGH = 6  # rounds: of fewer no interval of a median is one of 95 %


def left_out(n):
    """How many of n sorted values lie outside the interval of the median at either end: the
    largest k for which 2 P(Binomial(n, 1/2) <= k - 1) is at most 5 %, beyond the outermost."""
    k = 0
    while 2 * tail(n, k + 1) <= 0.05:
        k += 1
    return k


def tail(n, k):
    """P(Binomial(n, 1/2) <= k)"""
    return sum(math.comb(n, i) for i in range(k + 1)) * 0.5**n


def coverage(n):
    """Per cent of the intervals that hold the median"""
    return 100 * (1 - 2 * tail(n, left_out(n)))


def known(values):
    """Without the rounds that gave no figure: less CPU time than a tick is none."""
    return [value for value in values if value is not None]


def interval(values):
    """Low, median, high"""
    ordered = sorted(known(values))
    k = left_out(len(ordered))
    return ordered[k], statistics.median(ordered), ordered[-1 - k]


def rounded(value):
    """Counts as they are, the rest to four digits"""
    return int(value) if float(value).is_integer() else float(f"{value:.4g}")


def summary(values):
    low, mid, high = interval(values)
    return {
        "median": rounded(mid),
        "low": rounded(low),
        "high": rounded(high),
        "rounds": [None if value is None else rounded(value) for value in values],
    }


# ---- cells of a result ----


def cells_of(result, **of):
    return [c for c in result["cells"] if of.items() <= c["of"].items()]


def figure(result, name, **of):
    """Median, low, high and rounds in the one cell that is of all this; None when there is no figure"""
    found = cells_of(result, **of)
    return found[0].get("figures", {}).get(name) if len(found) == 1 else None


def median(result, name, **of):
    found = figure(result, name, **of)
    return found["median"] if found else None


def rounds(result, name, **of):
    found = figure(result, name, **of)
    return found["rounds"] if found else []


def ratios(above, below):
    """Round by round, since what disturbs a round disturbs both"""
    return [a / b if a is not None and b else None for a, b in zip(above, below)]


def geometric(lists):
    """One list out of several: the geometric mean within each round"""
    parts = (known(part) for part in zip(*(one for one in lists if one)))
    return [statistics.geometric_mean(part) if part else None for part in parts]


# ---- what agrees ----


@dataclasses.dataclass
class Check:
    """A finding that was published, and the same here"""

    what: str
    published: str
    here: str
    verdict: str
    why: str = ""  # it differs


def judge(values, least, most=math.inf):
    """The whole interval decides: agrees within the bounds, differs outside of them."""
    if len(known(values)) < ENOUGH:
        return "too few rounds"
    low, _, high = interval(values)
    if least <= low and high <= most:
        return "agrees"
    return "differs" if high < least or most < low else "cannot tell"


def judge_fact(result, true):
    """What has no interval"""
    if result["rounds"] < ENOUGH:
        return "too few rounds"
    return "cannot tell" if true is None else "agrees" if true else "differs"


def spread(values, form="{:.2f}"):
    if not known(values):
        return "not measured"
    low, mid, high = (form.format(value) for value in interval(values))
    return f"{mid} [{low} {high}]"
