# SPDX-License-Identifier: BSD-2-Clause
#
# The object as lines for table.awk: a kind, then what belongs to it, with tabs between.

def fixed($digits): pow(10; $digits) as $p | . * $p | round / $p | tostring;
def size: if . % 1048576 == 0 then "\(. / 1048576) MiB" elif . % 1024 == 0 then "\(. / 1024) KiB" else "\(.) bytes" end;
def coverage: if . == null then "-" else "\(. * 100 | fixed(1)) %" end;
def row($kind): [$kind] + . | map(if . == null then "-" else tostring end) | join("\t");

def device: .device | [.path, .sg_path, .block_path, .hctl] | map(select(. != null)) |
	reduce .[] as $word ([]; if index($word) then . else . + [$word] end) | join(" ");

def apart: tostring | if length > 3 then (.[:-3] | apart) + "," + .[-3:] else . end;

# Median and interval; one round has none
def estimate: .median, (select((.coverage // 0) > 0) // {} | .low, .high);

def figures($first): [.name,
	(.bytes_per_second | estimate), .bytes_per_second_of_tool.median,
	(if .name == $first then 1, null, null else (.ratio // {} | estimate) end),
	(.cpu_seconds_per_gib | estimate),
	.rounds[0].bytes, (.checked_by | join(", ")), (if .same_job then "" else "another job" end)];

def failure($all):
	(if .same_job then "of \($all.run_bytes | apart) " else "" end) as $of |
	"failed\(if .failed_round == null then "" elif .failed_round == 0 then " in the warm-up" else " in round \(.failed_round)" end): \(.reason); moved \(if .moved_bytes then .moved_bytes | apart else "an unknown number" end) \($of)bytes";

def text(lines): [lines] | .[] | [.] | row("text");

def false_number:
	if .reason then text("", "The false number cannot be shown: \(.reason)")
	else
		text("", "The famous false number: sg_dd takes bs for the length of a block, whatever the drive says.", "$ \(.command)"),
		(["claimed", .claimed_bytes, .claimed_bytes_per_second, "exit status \(.exit_status)"] | row("false")),
		(["moved", .moved_bytes, .moved_bytes_per_second, "\(.commands | apart) commands of one block; residual \(.residual_bytes | apart)"] | row("false")),
		text("$ \(.right.command)"),
		(["moved", .right.bytes, .right.bytes_per_second, "the same drive, read right"] | row("false"))
	end;

. as $all |
text("\(device)  \([.device | .vendor, .product, .revision] | map(select(. != "")) | join(" "))  \(.device | .blocks * .block_bytes | apart) bytes, blocks of \(.device.block_bytes)",
	"\(.bs_bytes | size) per command, depth \(.depth); \(.run_bytes | apart) bytes a run, \(.rounds) round\(if .rounds > 1 then "s" else "" end) in turn after 1 to warm up"),
([first((.contenders[] | select(.status == "ok") | .bytes_per_second.coverage | select(. > 0) | coverage), "-")] | row("head")),
(.contenders[] | if .status == "ok" then figures($all.contenders[0].name) | row("row")
	elif .status == "failed" then [.name, failure($all)] | row("none")
	else [.name, "skipped: \(.reason)"] | row("none") end),
text(select(any(.contenders[]; .status == "ok" and (.same_job | not))) |
	"another job: it reads what it likes for 3 s, its rate is by its own clock, and it has no ratio"),
text((.notes[] | "note: \(.)"), (.warnings[] | "warning: \(.)")),
(.false_number // empty | false_number),
text(.verdict // empty | "", .)
