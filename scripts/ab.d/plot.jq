# SPDX-License-Identifier: BSD-2-Clause
#
# Two blocks for gnuplot, in MB/s: place, median, low, high, name; then place and rate of each round.

[.contenders[] | select(.status == "ok")] as $ok | select($ok != []) |
($ok | to_entries[] | .key as $i | .value | [$i] + (.bytes_per_second | [.median, .low, .high] | map(. / 1e6)) + [.name] | @tsv),
"", "",
($ok | to_entries[] | .key as $i | .value.rounds[] | [$i, .bytes_per_second / 1e6] | @tsv)
