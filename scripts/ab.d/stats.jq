# SPDX-License-Identifier: BSD-2-Clause
#
# The statistics of sgstream compare (src/stats/median.c): about medians, by ranks.

def binomial($n; $k): reduce range($k) as $i (1; . * ($n - $i) / ($i + 1));
def coverage($n; $k): 1 - 2 * ([range($k) | binomial($n; .)] | add) / pow(2; $n);

# From the k-th smallest to the k-th largest, with the largest k that covers 95 %; of fewer than
# six values from the first to the last, with what that covers.
def rank($n): last(1, (range(2; ($n / 2 | floor) + 1) | select(coverage($n; .) >= 0.95)));
def median: length as $n | (.[($n - 1) / 2 | floor] + .[$n / 2 | floor]) / 2;
def estimate:
	map(select(. != null)) | sort | length as $n |
	if $n == 0 then { median: null, low: null, high: null, coverage: null }
	else rank($n) as $k |
		{ median: median, low: .[$k - 1], high: .[$n - $k], coverage: (if $n > 1 then coverage($n; $k) else 0 end) }
	end;
def holds: .coverage != null and .coverage >= 0.95;
