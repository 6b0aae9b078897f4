# SPDX-License-Identifier: BSD-2-Clause
"""A study as Markdown, and what its plots have in common."""

from common.figures import ENOUGH, coverage

COLOURS = ("#0a6ebd", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#475569", "#be123c")
INTERVAL = "with vectors nohead lc rgb '#1e293b' lw 1"
POINTS = (7, 5, 9, 11, 13, 4, 6)


def number(value, digits=0):
    return None if value is None else f"{value:,.{digits}f}"


def mb(value):
    """Bytes a second as MB/s"""
    return None if value is None else number(value / 1e6, 0 if value >= 1e8 else 1)


def us(value):
    """ns as us"""
    return None if value is None else number(value / 1e3, 0 if value >= 1e5 else 1)


def size(n):
    return f"{n >> 20} MiB" if n % (1 << 20) == 0 else f"{n >> 10} KiB" if n % 1024 == 0 else f"{n} B"


def table(head, rows, text=1):
    """The first columns are text, those behind them numbers."""
    rows = [["-" if value is None else str(value) for value in row] for row in rows]
    widths = [max(3, *(len(row[i]) for row in [head, *rows])) for i in range(len(head))]

    def line(row):
        padded = (v.ljust(w) if i < text else v.rjust(w) for i, (v, w) in enumerate(zip(row, widths)))
        return f"| {' | '.join(padded)} |"

    rule = ["-" * w if i < text else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return [line(head), line(rule), *map(line, rows)]


def check_lines(checks):
    """The findings, how many of them agree, and why the others do not"""
    head = ["finding", "published", "here", "verdict"]
    words = [word_of(c) for c in checks]
    lines = table(head, [[c.what, c.published, c.here, word] for c, word in zip(checks, words)], text=4)
    count = [f"{word}: {words.count(word)}" for word in sorted(set(words))]
    lines += ["", f"Of {len(checks)} findings, {', '.join(count)}.", ""]
    lines += [f"- {c.what}: {c.why}." for c in checks if c.verdict == "differs" and c.why]
    return lines if lines[-1] == "" else [*lines, ""]


def word_of(check):
    """What was not published cannot agree."""
    if check.published == "-":
        return {"agrees": "holds", "differs": "does not hold"}.get(check.verdict, check.verdict)
    return check.verdict


def rounds_text(n):
    if n < ENOUGH:
        return f"rounds: {n}; square brackets hold the least and the largest, from which nothing follows"
    return f"{n} rounds in turn; square brackets hold the {coverage(n):.1f} % interval of the median"


def head_lines(study, result):
    host = result["host"]
    before, after = (" ".join(f"{load:.2f}" for load in host[key]) for key in ("load_before", "load_after"))
    where = f"in the lab ({result['lab']})" if result["lab"] else "on devices of this host"
    lines = [
        f"## {study.title}",
        "",
        study.question,
        "",
        f"{result['date'][:10]}, {where}: Linux {result['kernel']}, {result['cpus']} CPU, "
        f"{', '.join(result['devices'])}; {rounds_text(result['rounds'])}. The machine: {host['cpu']}, "
        f"{host['cpus']} CPUs, Linux {host['kernel']}, load {before} before and {after} after.",
        "",
    ]
    if result["quick"]:
        lines += ["A quick run, to see that it works: its figures mean nothing.", ""]
    return lines


def tail_lines(result, hidden):
    lines = []
    if result["lab"] == "uml":
        lines += ["What the lab hides:", "", *(f"- {text}" for text in hidden), ""]
    elif result["lab"]:
        lines += [
            f"The machine is emulated ({result['lab']}), so that nothing costs what it costs on hardware.",
            "",
        ]
    failed = [c for c in result["cells"] if "reason" in c]
    if failed:
        lines += ["What could not run:", "", *(f"- `{c['command']}`: {c['reason']}" for c in failed), ""]
    versions = ", ".join(f"{tool} {version}" for tool, version in result["versions"].items())
    lines += [f"With {versions}, by `{result['invocation']}`"]
    lines[-1] += f" (drives: `{result['lab_drives']}`)." if result["lab"] else "."
    return lines + [""]


# ---- gnuplot ----


def plot_head(width=900, height=400):
    """A page with a colour of its own, so that it reads in the light and in the dark"""
    lines = [
        f'set terminal svg size {width},{height} font "sans-serif,13" background "#ffffff" noenhanced',
        "set encoding utf8",
        "set border 3 lc rgb '#475569'",
        "set tics nomirror textcolor rgb '#1e293b'",
        "set grid ytics lc rgb '#e2e8f0' lt 1",
        "set key textcolor rgb '#1e293b'",
        "set style fill solid 0.85 noborder",
        "set boxwidth 0.8 absolute",
    ]
    styles = enumerate(zip(COLOURS, POINTS), 1)
    return lines + [
        f"set linetype {i} lc rgb '{colour}' lw 2 pt {point} ps 0.7" for i, (colour, point) in styles
    ]


def block(name, rows):
    """Data for gnuplot; text is quoted, what is unknown a ?"""

    def word(value):
        return f'"{value}"' if isinstance(value, str) else "?" if value is None else f"{value:.6g}"

    return [f"${name} << END", *(" ".join(map(word, row)) for row in rows), "END"]
