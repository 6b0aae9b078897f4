# SPDX-License-Identifier: BSD-2-Clause
#
# Reads lines "contender,NAME,FLOOR,WHAT", then runs.csv.  Prints a table for each size, what the
# bare loop costs against sgstream, and a verdict.  With strict, exit status 1 when a statement is
# false.
#
# Every ratio is formed within a round, of runs that stood close together, and is above 1 when the
# first of the two is faster; tables give its median.  Brackets hold the 99 % confidence interval of
# the median, by ranks (of a few values the smallest and largest): there are some forty statements,
# and with intervals of 95 % every run would have two that are wrong.

function size_text(n) {
	return n % 1048576 == 0 ? n / 1048576 " MiB" : n % 1024 == 0 ? n / 1024 " KiB" : n " bytes"
}

function sort(v, n,   i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j >= 1 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
}

function middle(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }

# How many of n sorted values lie outside the interval at either end: for the largest k with
# 2 P(Binomial(n, 1/2) < k) <= 0.01, all below the k-th.
function outside(n,   k, term, sum) {
	term = exp(-n * log(2))
	sum = term
	for (k = 0; k < n / 2 && 2 * (sum + term * (n - k) / (k + 1)) <= 0.01; k++) {
		term *= (n - k) / (k + 1)
		sum += term
	}
	return k
}

# Sets mid, low and high of n values; each of them counts as 1/share of an observation.
function summarize(v, n, share,   k) {
	sort(v, n)
	k = outside(int(n / share)) * share
	mid = middle(v, n)
	low = v[1 + k]
	high = v[n - k]
	return n
}

# us per command over the rounds of a stage
function level(stage, size, name,   r, n, v) {
	for (r = 1; r <= rounds[stage, size]; r++)
		if ((stage, size, r, name) in us)
			v[++n] = us[stage, size, r, name]
	return n ? summarize(v, n, 1) : 0
}

# How much faster a is than b
function ratio(stage, size, a, b,   r, n, v) {
	for (r = 1; r <= rounds[stage, size]; r++)
		if ((stage, size, r, a) in us && (stage, size, r, b) in us)
			v[++n] = us[stage, size, r, b] / us[stage, size, r, a]
	return n ? summarize(v, n, 1) : 0
}

# An engine against the loop before it and the one after it
function pair_ratio(size, loop, engine,   stage, r, n, v) {
	stage = loop "+" engine
	for (r = 1; r <= rounds[stage, size]; r++) {
		v[++n] = us[stage, size, r, "loop"] / us[stage, size, r, "engine"]
		v[++n] = us[stage, size, r, "loop-again"] / us[stage, size, r, "engine"]
	}
	return n ? summarize(v, n, 2) : 0
}

function interval() { return sprintf("%.3f [%.3f %.3f]", mid, low, high) }

# CPU seconds per GiB over the rounds of a stage
function cost(stage, size, name) {
	return cpu_bytes[stage, size, name] ? \
		sprintf("%.3f", cpu_ns[stage, size, name] / 1e9 * 1073741824 / cpu_bytes[stage, size, name]) : "-"
}

function contender_row(size, name,   of_floor, of_mmap) {
	if (!level("rounds", size, name))
		return
	printf "  %-13s %9.2f %9.0f %9s", name, mid, size / mid, cost("rounds", size, name)
	if (floor_of[name] && ratio("rounds", size, name, floor_of[name]))
		of_floor = interval()
	if (name != "sg-mmap" && ratio("rounds", size, "sg-mmap", name))
		of_mmap = sprintf("%.2f [%.2f %.2f]", mid, low, high)
	printf "   %-21s   %s\n", of_floor, of_mmap
}

function size_table(size,   i) {
	printf "\n%s per command, %d commands a run, median of %d rounds\n", size_text(size),
		commands["rounds", size], rounds["rounds", size]
	printf "  %-13s %9s %9s %9s   %-21s   %s\n", "", "us/cmd", "MB/s", "CPU s/GiB", "of its floor", "sg-mmap is faster by"
	for (i = 1; i <= names; i++)
		contender_row(size, name[i])
}

function pair_row(size, stage,   loop, engine, its, again) {
	loop = substr(stage, 1, index(stage, "+") - 1)
	engine = substr(stage, index(stage, "+") + 1)
	if (!level(stage, size, "engine"))
		return
	its = mid
	level(stage, size, "loop")
	printf "  %-8s %-7s %-8s %6d %9.2f %9.2f", size_text(size), loop, engine, rounds[stage, size], mid, its
	ratio(stage, size, "loop", "loop-again")
	again = interval()
	pair_ratio(size, loop, engine)
	printf "   %-21s   %s\n", interval(), again
}

function pair_table(   i, j) {
	print "\nThe bare loop and sgstream, in one process, in batches of milliseconds: us per command, sgstream's"
	print "rate over the loop's, and what the same method says of the loop against itself (A/A)"
	printf "  %-8s %-7s %-8s %6s %9s %9s   %-21s   %s\n", "", "loop", "engine", "rounds", "loop", "engine", "ratio", "A/A"
	for (i = 1; i <= sizes; i++)
		for (j = 1; j <= pairs; j++)
			pair_row(size[i], pair[j])
}

function close_row(size, peer,   own) {
	if (what[peer] == "own" || !level("close", size, "sg-mmap") || !level("close", size, peer))
		return
	own = mid
	level("close", size, "sg-mmap")
	printf "  %-8s %-13s %6d %9.2f %9.2f", size_text(size), peer, rounds["close", size], mid, own
	ratio("close", size, "sg-mmap", peer)
	printf "   %s\n", interval()
}

function close_table(   i, j) {
	if (!close_runs)
		return
	print "\nThe closest peers, in many short runs: us per command"
	printf "  %-8s %-13s %6s %9s %9s   %s\n", "", "", "rounds", "sg-mmap", "peer", "sg-mmap is faster by"
	for (i = 1; i <= sizes; i++)
		for (j = 1; j <= names; j++)
			close_row(size[i], name[j])
}

# The slope between a short and a long run leaves out what start and end cost.
function instructions(name,   n) {
	n = figure_commands["ir-" name, 2] - figure_commands["ir-" name, 1]
	return n ? (figure_bytes["ir-" name, 65536, 2] - figure_bytes["ir-" name, 65536, 1]) / n : 0
}

function instruction_table(   i, n) {
	for (i = 1; i <= names; i++) {
		n = instructions(name[i])
		if (!n)
			continue
		if (!instruction_rows++)
			print "\nInstructions in user space per command of 64 KiB, beside one system call each (valgrind)"
		printf "  %-13s %6.0f\n", name[i], n
	}
}

function verdict(word, text) {
	printf "  %-6s  %s\n", word, text
	if (word == "FAIL")
		false++
}

# The interval decides: all of it above the bound, all below, or the noise hides it.
function against(bound) { return low >= bound ? "PASS" : high < bound ? "FAIL" : "noise" }

function faster(   word) {
	word = against(1)
	return word == "noise" && low >= 0.97 && high <= 1.03 ? "level" : word
}

# Pairs of an engine and the loop of its own system call; two others compare sg-mmap
function floor_statement(size, stage,   loop, engine) {
	loop = substr(stage, 1, index(stage, "+") - 1)
	engine = substr(stage, index(stage, "+") + 1)
	if (engine == "sg-mmap" && loop != "mmap" || !pair_ratio(size, loop, engine))
		return
	verdict(rounds[stage, size] < 5 ? "noise" : against(0.97),
		sprintf("%s at %s: at least 0.97 of the bare loop: %s", engine, size_text(size), interval()))
}

# An engine and the peer that reads as it does: rate, and CPU time per command
function like_statement(size, own, peer,   stage, n) {
	stage = ("close", size, 1, own) in us ? "close" : "rounds"
	n = ratio(stage, size, own, peer)
	if (!n)
		return
	verdict(n < 5 ? "noise" : faster(), sprintf("%s at %s at least as fast as %s: %s", own, size_text(size), peer, interval()))
	n = ratio(stage "/cpu", size, own, peer)
	if (!n)
		return
	verdict(n < 5 ? "noise" : faster(), sprintf("%s at %s with no more CPU than %s: %s (s/GiB: %s, %s)", own, size_text(size),
		peer, interval(), cost(stage, size, own), cost(stage, size, peer)))
}

# Where the noise hides a peer, the bare loop of its kind stands in: no peer is faster than that.
function peer_statement(size, peer,   stage, n, word, text, loop) {
	stage = ("close", size, 1, peer) in us ? "close" : "rounds"
	n = ratio(stage, size, "sg-mmap", peer)
	if (!n)
		return
	word = n < 5 ? "noise" : faster()
	text = sprintf("sg-mmap at %s faster than %s: %s", size_text(size), peer, interval())
	loop = substr(floor_of[peer], 7)
	if ((word == "noise" || word == "level") && pair_ratio(size, loop, "sg-mmap")) {
		word = low >= 1 ? "PASS" : low >= 0.97 ? "level" : word
		text = text sprintf("; than the bare loop of its kind: %s", interval())
	}
	verdict(word, text)
}

function statements(   i, j) {
	for (i = 1; i <= sizes; i++)
		for (j = 1; j <= pairs; j++)
			floor_statement(size[i], pair[j])
	for (i = 1; i <= sizes; i++) {
		like_statement(size[i], "io_uring", "fio-uring")
		like_statement(size[i], "io_uring", "fio-uring-16")
		like_statement(size[i], "direct", "fio-psync")
	}
	for (i = 1; i <= sizes; i++)
		for (j = 1; j <= names; j++)
			if (what[name[j]] == "sg")
				peer_statement(size[i], name[j])
}

function null_statement(   i, n, v) {
	for (i = 1; i <= figures["null", 65536]; i++)
		v[++n] = figure_commands["null", i] / figure_ns["null", i] * 1000
	if (!n)
		return
	summarize(v, n, 1)
	verdict(mid >= 5 ? "PASS" : "FAIL",
		sprintf("null engine: at least 5 million commands a second: %.1f million", mid))
}

function memory_statement(name, bs, depth,   limit, used) {
	if (!(("rss-" name, bs, depth) in figure_bytes))
		return
	used = figure_bytes["rss-" name, bs, depth] / 1048576
	limit = 16 + depth * bs / 1048576
	verdict(used <= limit ? "PASS" : "FAIL", sprintf("%s with --bs %s -q %d: at most %g MiB resident: %.1f MiB",
		name, size_text(bs), depth, limit, used))
}

# Upper bounds: the first command lies somewhere between start and end.  In the lab executing any
# program takes long, and that is left out.
function start_statements(   beyond, least) {
	if ("start-native" in figure_ms)
		verdict(figure_ms["start-native"] < 20 ? "PASS" : figure_least["start-native"] < 20 ? "noise" : "FAIL",
			sprintf("start to end below 20 ms, natively, two files, one command each: %.1f ms",
				figure_ms["start-native"]))
	if (!("start-sgstream" in figure_ms))
		return
	beyond = figure_ms["start-sgstream"] - figure_ms["start-true"]
	least = figure_least["start-sgstream"] - figure_least["start-true"]
	verdict(beyond < 20 ? "PASS" : least < 20 ? "noise" : "FAIL",
		sprintf("start to end below 20 ms beyond /bin/true, in the lab, two drives: %.1f ms (%.1f less %.1f)",
			beyond, figure_ms["start-sgstream"], figure_ms["start-true"]))
}

function troubles(   i) {
	if (!trouble_count)
		return
	printf "\n%d runs do not count:\n", trouble_count
	for (i = 1; i <= trouble_count && i <= 20; i++)
		print "  " trouble[i]
}

BEGIN {
	split("null sg-mmap sg-dio", engine, " ")
	pairs = split("mmap+sg-mmap dio+sg-dio dio+sg-mmap copy+sg-mmap copy+sg-copy async16+sg-async sgio+sgio " \
		"bsg+bsg direct+direct uring16+io_uring pread+buffered touch+mmap", pair, " ")
}

$1 == "contender" {
	name[++names] = $2
	floor_of[$2] = $3
	what[$2] = $4
	next
}
$1 == "stage" { next }
$8 != "" {
	trouble[++trouble_count] = $4 " at " size_text($2) ", " $1 " " $3 ": " $8
	next
}
$1 == "figure" {
	figures[$4, $2]++
	figure_ms[$4] = $7 / 1e6
	figure_least[$4] = $3 / 1000
	figure_bytes[$4, $2, $3] = $6
	figure_commands[$4, $3] = $5
	figure_ns[$4, $3] = $7
	next
}
{
	if (!($2 in seen)) {
		seen[$2] = 1
		size[++sizes] = $2
	}
	if ($3 + 0 == 0)
		next
	us[$1, $2, $3 + 0, $4] = $7 / 1000 / $5
	if ($9 + 0 > 0) { # less than a tick is no figure
		us[$1 "/cpu", $2, $3 + 0, $4] = $9 / 1000 / $5
		rounds[$1 "/cpu", $2] = $3 + 0
	}
	if ($9 != "") {
		cpu_ns[$1, $2, $4] += $9
		cpu_bytes[$1, $2, $4] += $6
	}
	close_runs += $1 == "close" && $4 == "sg-mmap"
	if ($5 + 0 > commands[$1, $2]) # the slow ones make fewer
		commands[$1, $2] = $5 + 0
	if ($3 + 0 > rounds[$1, $2])
		rounds[$1, $2] = $3 + 0
}

END {
	if (!sizes) {
		print "bench: no runs to report" > "/dev/stderr"
		exit 3
	}
	print "Rates are by each tool's own clock, because starting a process takes tens of milliseconds in the"
	print "lab: the sg_dd family's time=1, fio's and sgstream's JSON, dd's and ddpt's last line. Bytes are those"
	print "that each tool says it moved. CPU time is that of the run alone, summed over the rounds, since the"
	print "kernel counts it in ticks of 10 ms; - where a tool does not say it. Ratios are formed within a round;"
	print "brackets: 99 % interval of the median (of a few rounds: the least and the largest)."
	if (about)
		print about "."
	for (i = 1; i <= sizes; i++)
		if (rounds["rounds", size[i]])
			size_table(size[i])
	close_table()
	pair_table()
	instruction_table()
	print "\nVerdict (noise: the interval holds the bound, so this run cannot tell; level: within 3 % of each other)"
	statements()
	null_statement()
	for (i = 1; i <= 3; i++)
		for (depth = 1; depth <= 16; depth += 15) {
			memory_statement(engine[i], 1048576, depth)
			memory_statement(engine[i], 524288, depth)
		}
	start_statements()
	troubles()
	exit strict && false
}
