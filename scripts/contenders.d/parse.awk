# SPDX-License-Identifier: BSD-2-Clause
#
# What the contenders said becomes a table of comma-separated values, a row for each run.  Bytes
# are those that a tool says it moved, never those it was asked for; time is the tool's own, and so
# is CPU time (of a run, not of its start): nothing where a tool does not say it.

function after(text, pattern,   rest) {
	if (!match(text, pattern))
		return ""
	rest = substr(text, RSTART + RLENGTH)
	match(rest, /^[0-9.]*(e-?[0-9]+)?/)
	return substr(rest, 1, RLENGTH)
}

# The number at a key of a JSON object
function member(text, object, key,   at) {
	at = index(text, "\"" object "\": {")
	return at ? after(substr(text, at), "\"" key "\": ") : ""
}

function begin(   i) {
	stage = $2; size = $3; round = $4; name = $5; commands = $6
	bytes = ns = -1
	cpu = share = ""
	trouble = ""
	residual = rows = 0
}

function row(label, at, got, took) {
	gsub(/,/, ";", trouble)
	printf "%s,%d,%d,%s,%d,%.0f,%.0f,%s,%s\n", stage, size, at, label, commands, got, took, trouble, cpu
}

function finish(status) {
	if (bytes > 0) # what is counted in records counts what was asked for
		bytes -= residual
	if (stage ~ /[+]/ && !status && rows)
		return
	if (status)
		trouble = "exit status " status
	else if (stage != "figure" && !trouble && commands && bytes != size * commands)
		trouble = "moved " bytes " bytes of " size * commands
	else if (!trouble && bytes < 0 && ns < 0)
		trouble = "said nothing that can be read"
	row(name, round, bytes, ns)
}

BEGIN { print "stage,size_bytes,round,contender,commands,bytes,ns,trouble,cpu_ns" }

/^@ / { begin(); next }
/^= / { finish($2); next }

# The bare loop, in floor and in pair (stage LOOP+ENGINE)
name ~ /^floor/ && / commands, / { bytes = after($0, "^[a-z0-9]*: "); ns = after($0, "commands, "); cpu = after($0, ", CPU "); next }
stage ~ /[+]/ && /^[0-9]+ [0-9]+ [0-9]+$/ {
	rows++
	row("loop", rows, size * commands, $1)
	row("engine", rows, size * commands, $2)
	row("loop-again", rows, size * commands, $3)
	next
}

# sgstream
/"schema": "sgstream/ {
	bytes = member($0, "total", "bytes")
	ns = member($0, "total", "elapsed_ns")
	cpu = sprintf("%.0f", member($0, "cpu", "user_ns") + member($0, "cpu", "system_ns"))
	copied = member($0, "transfer", "copied")
	if (name ~ /(^|:)sg-(mmap|dio)$/ && copied != 0)
		trouble = "copied " copied " commands"
	next
}

# sg_dd, sgm_dd, sgp_dd, ddpt
/^time to (transfer|read) data/ { sub(/^[^0-9]*/, ""); ns = $1 * 1e9; next }
/records in$/ && name ~ /^(sg|ddpt)/ { bytes = $1 * (block ? block : 512); next }
/sum of residual counts=/ { residual = after($0, "counts="); trouble = "said: " $0; next }
/[Rr]esidual/ || /unrecovered read error/ || /Direct IO requested but incomplete/ || /EIO|Input\/output error/ { trouble = "said: " $0; next }

# fio: the first section is that of the reads
/"io_bytes" :/ && bytes < 0 { bytes = after($0, "\"io_bytes\" : "); next }
/"runtime" :/ && ns < 0 { ns = after($0, "\"runtime\" : ") * 1e6; next }
/"job_runtime" :/ { share = after($0, "\"job_runtime\" : ") * 1e6 / 100; next }
/"usr_cpu" :/ { cpu = after($0, "\"usr_cpu\" : ") * share; next }
/"sys_cpu" :/ { cpu = sprintf("%.0f", cpu + after($0, "\"sys_cpu\" : ") * share); next }

# dd
/bytes .*copied, / { bytes = $1; ns = after($0, "copied, ") * 1e9; next }

# hdparm, whose MB are 2^20 bytes, rounded
/Timing .* MB in .* seconds/ { bytes = after($0, "reads: *") * 1048576; ns = after($0, " MB in *") * 1e9; next }

# floor rss and floor time; the least time stands where the round of a run does
stage == "figure" && / KiB$/ { bytes = $1 * 1024; next }
stage == "figure" && / ms median/ { ns = $1 * 1e6; round = $4 * 1000; next }
/^==[0-9]+== Collected : / { bytes = $NF; next }
