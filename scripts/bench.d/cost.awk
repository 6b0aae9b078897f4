# SPDX-License-Identifier: BSD-2-Clause
#
# Reads runs.csv, short and long runs for each size and contender; prints what a command more
# costs.  A wait for the host makes the clock jump, so that of runs of one length the fastest counts.
# A run that had trouble gives no cost, and says why on standard error.

BEGIN { print "size_bytes,contender,ns_per_command" }

NR == 1 { next }
$8 != "" { print "bench-cost: " $4 " at " $2 " bytes: " $8 >"/dev/stderr"; next }
{
	key = $2 "," $4
	if (!(key in short)) {
		order[++n] = key
		short[key] = long[key] = $5
	}
	if ($5 < short[key])
		short[key] = $5
	if ($5 > long[key])
		long[key] = $5
	if (!((key, $5) in ns) || $7 < ns[key, $5])
		ns[key, $5] = $7
}

END {
	for (i = 1; i <= n; i++) {
		key = order[i]
		commands = long[key] - short[key]
		if (commands)
			printf "%s,%.1f\n", key, (ns[key, long[key]] - ns[key, short[key]]) / commands
	}
}
