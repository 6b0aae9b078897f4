# SPDX-License-Identifier: BSD-2-Clause
#
# Reads lines "contender,NAME,FLOOR,WHAT", then cost.csv: the tables of performance.md.

function size_text(n) { return n % 1048576 == 0 ? n / 1048576 " MiB" : n / 1024 " KiB" }

function value(name, i) { return (name, size[i]) in cost ? sprintf("%.2f", cost[name, size[i]] / 1000) : "" }

# How much a costs more than b at the i-th size, in percent
function more(a, b, i) {
	return (a, size[i]) in cost && (b, size[i]) in cost ? sprintf("%+.1f %%", (cost[a, size[i]] / cost[b, size[i]] - 1) * 100) : ""
}

function head(first,   i, line, rule) {
	line = "| " first " |"
	rule = "|---|"
	for (i = 1; i <= n_sizes; i++) {
		line = line " " size_text(size[i]) " |"
		rule = rule "---:|"
	}
	print line "\n" rule
}

function table(title, which,   i, k, line) {
	print "## " title "\n"
	head("us per command")
	for (k = 1; k <= n_names; k++) {
		if (what[name[k]] !~ which || !(name[k] in counted))
			continue
		line = "| " name[k] " |"
		for (i = 1; i <= n_sizes; i++)
			line = line " " value(name[k], i) " |"
		print line
	}
	print ""
}

function versus(ours, other,   i, line) {
	if (!(ours in counted && other in counted))
		return
	line = "| " ours " against " other " |"
	for (i = 1; i <= n_sizes; i++)
		line = line " " more(ours, other, i) " |"
	print line
}

/^contender,/ { name[++n_names] = $2; floor[$2] = $3; what[$2] = $4; next }
$1 == "size_bytes" { next }
{
	if (!(($1) in seen)) {
		seen[$1]
		size[++n_sizes] = $1
	}
	counted[$2]
	cost[$2, $1] = $3
}

END {
	table("The bare loop of system calls", "floor")
	table("sgstream, with its latencies", "own")
	table("The peers", "sg|block")
	print "## Compared\n\nMore (+) or less (-) than the other takes.\n"
	head("")
	for (k = 1; k <= n_names; k++)
		if (what[name[k]] == "own")
			versus(name[k], floor[name[k]])
	versus("sg-mmap", "sgm_dd")
	versus("sg-dio", "sg_dd-dio")
	versus("sg-dio", "sgm_dd")
	versus("sg-copy", "sg_dd")
	versus("direct", "dd-direct")
	versus("direct", "fio-psync")
	versus("io_uring", "fio-uring")
	versus("io_uring", "fio-uring-16")
	versus("buffered", "dd")
}
