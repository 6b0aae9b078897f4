# SPDX-License-Identifier: BSD-2-Clause
#
# The object as CSV: a row for each run, in the order in which they were made.

. as $all |
["started_at", "device", "contender", "command", "bs_bytes", "round", "warmup", "place", "elapsed_ns", "bytes",
	"bytes_per_second", "user_s", "system_s", "cpu_seconds_per_gib", "tool_ns", "drive_bytes", "drive_commands",
	"cold", "exit_status", "trouble"],
([.contenders[] | . as $who | ((.warmup // empty | . + { warmup: true }), (.rounds[] | . + { warmup: false })) |
	. + { contender: $who.name, command: ($who.command | join(" ")) }] | sort_by(.round, .place)[] |
	[$all.started_at, $all.device.path, .contender, .command, $all.bs_bytes, .round, .warmup, .place, .elapsed_ns, .bytes,
	.bytes_per_second, .user_s, .system_s, .cpu_seconds_per_gib, .tool_ns, .drive_bytes, .drive_commands,
	.cold, .exit_status, .trouble]) | @csv + "\r"
