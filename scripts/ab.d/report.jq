# SPDX-License-Identifier: BSD-2-Clause
#
# The files of a measurement become one object. $list: sgstream list --json; $settings; the text
# of contenders, runs, false and false_reason; the arguments of the call; $load and $host_cpus of
# the host before it (in the lab both are others).

include "stats";

def lines: split("\n") | map(select(length > 0) | split("\t"));
def number: if . == "" or . == "-1" then null else tonumber end;

# ---- what was measured

def contenders: $contenders | lines | map({
	name: .[0], path: .[1], node: (if .[2] == "" then null else .[2] end),
	depth: 1, same_job: (.[3] == "range"),
	reason: (if .[4] == "" then null else .[4] end), command: (.[5] | split("\u001f")) });

# A rate only for who moved all. Who reads what it likes has a clock of its own, too.
def with_rate($same_job):
	. + (if .trouble != null or .bytes == null then
		{ bytes_per_second: null, bytes_per_second_of_tool: null, cpu_seconds_per_gib: null }
	else {
		bytes_per_second: (.bytes * 1e9 / (if $same_job then .elapsed_ns else .tool_ns end)),
		bytes_per_second_of_tool: (if (.tool_ns // 0) > 0 then .bytes * 1e9 / .tool_ns else null end),
		cpu_seconds_per_gib: ((.user_s + .system_s) * 1073741824 / .bytes) } end);

def runs($same): $runs | lines | map({
	round: (.[0] | tonumber), warmup: (.[0] == "0"), place: (.[1] | tonumber), contender: .[2],
	elapsed_ns: (.[3] | tonumber), user_s: (.[4] | tonumber), system_s: (.[5] | tonumber),
	exit_status: (.[6] | tonumber), bytes: (.[7] | number), tool_ns: (.[8] | number),
	drive_bytes: (.[9] | number), drive_commands: (.[10] | number),
	cold: ({ yes: true, no: false }[.[11]]), trouble: (if .[12] == "" then null else .[12] end) } |
	with_rate($same[.contender]));

def status: if .reason != null then "skipped" elif any(.rounds[]; .trouble != null) or .rounds == [] then "failed" else "ok" end;

def checked: [
	(if all(.rounds[]; .bytes != null) then "tool" else empty end),
	(if all(.rounds[]; .drive_bytes != null) then "drive" else empty end),
	(if all(.rounds[]; .drive_commands != null) then "commands" else empty end)];

def figures($runs):
	.name as $name | .rounds = [$runs[] | select(.contender == $name and (.warmup | not)) | del(.contender, .warmup)] |
	.warmup = first(($runs[] | select(.contender == $name and .warmup)), null) | status as $status |
	.status = $status |
	if $status == "ok" then
		.bytes_per_second = ([.rounds[].bytes_per_second] | estimate) |
		.bytes_per_second_of_tool = ([.rounds[].bytes_per_second_of_tool] | estimate) |
		.cpu_seconds_per_gib = ([.rounds[].cpu_seconds_per_gib] | estimate) |
		.checked_by = checked
	elif $status == "failed" then
		(first(.rounds[], .warmup | select(.trouble != null)) // {}) as $run |
		.reason = ($run | .trouble) | .failed_round = $run.round | .moved_bytes = $run.bytes
	else . end;

# A ratio is the median of the rounds' own, as what disturbs a round disturbs both.
def with_ratio($first):
	if .status != "ok" or $first.status != "ok" or (.same_job and $first.same_job | not) then .ratio = null
	else .ratio = ([range(.rounds | length) as $i |
		.rounds[$i].bytes_per_second / $first.rounds[$i].bytes_per_second] | estimate) end;

# ---- the false number

def false_run: { bs: .[2], bpt: .[3], count: .[4], len: .[1], status: .[5], records: .[6], ns: .[7], residual: .[8] } | map_values(tonumber);
def false_number($sg): ($false | lines) as $lines |
	if ($false_reason | length) > 0 then { reason: ($false_reason | rtrimstr("\n")) }
	elif $lines == [] then null
	else ($lines[0] | false_run) as $wrong | ($lines[1] | false_run) as $right |
		def command: "sg_dd if=\($sg) of=/dev/null bs=\(.bs) bpt=\(.bpt) count=\(.count) time=1";
		def rate($moved): if .ns > 0 then $moved * 1e9 / .ns else null end;
		($wrong | [.records * .bs - .residual, .records * .len] | min) as $moved |
		{ command: ($wrong | command), exit_status: $wrong.status, claimed_bytes: ($wrong | .records * .bs),
			claimed_bytes_per_second: ($wrong | rate(.records * .bs)), residual_bytes: $wrong.residual,
			commands: $wrong.records, moved_bytes: $moved, moved_bytes_per_second: ($wrong | rate($moved)),
			right: ($right | { command: command, exit_status: .status, bytes: (.records * .bs - .residual),
				bytes_per_second: rate(.records * .bs - .residual) }) }
	end;

# ---- in words

def fixed($digits): pow(10; $digits) as $p | . * $p | round / $p | tostring;
def percent: . * 100 | fixed(1) + " %";

def plural($word): "\(.) \($word)\(if . == 1 then "" else "s" end)";

# About the fastest of those that are shown to be faster than the first, else about the fastest.
def verdict($device): [.[] | select(.status == "ok" and .ratio != null)] as $all |
	if ($all | length) < 2 then null
	else $all[0] as $first |
		([$all[1:][] | select(.ratio.low > 1)] | if . == [] then $all[1:] else . end | max_by(.ratio.median)) as $best |
		($first.cpu_seconds_per_gib.median - $best.cpu_seconds_per_gib.median) as $less |
		"\($best.ratio.median | fixed(2)) times as fast" as $times |
		"(\($best.ratio | "\(.coverage | percent) \(.low | fixed(2)) to \(.high | fixed(2))"))" as $interval |
		if $best.ratio | holds | not then "\($first.rounds | length | plural("round")) cannot show a difference: an interval of 95 % takes 6."
		elif $best.ratio.low <= 1 and $best.ratio.high >= 1 then
			"None is shown to be faster than \($first.name): \($best.name) reads \($device) \($times) \($interval)."
		else "\($best.name) reads \($device) \($times) as \($first.name) \($interval) and costs \($less | fabs | fixed(2)) s of CPU per GiB \(if $less >= 0 then "less" else "more" end)." end
	end;

# Start and end of a program, as a share of its time
def outside: .bytes_per_second_of_tool.median as $own | if $own then 1 - .bytes_per_second.median / $own else 0 end;

def warnings($load; $cpus):
	(select($load > $cpus / 2) | "the host was busy when this began (load \($load) on \($cpus | plural("CPU"))): intervals will be wide, and rates low"),
	([.[] | select(.status == "ok" and .same_job and outside > 0.2) | .name] | select(. != []) |
		"more than a fifth of the time of \(join(", ")) is the start and end of the program, outside of its own clock: a larger --size makes it less"),
	(.[] | select(any(.rounds[]; .cold == false)) |
		"\(.name): the page cache could not be emptied beforehand, so some of the data may not be the drive's");

def notes($device; $contenders): [
	($device.limits.read_ahead_bytes // 0 | select(. > 0 and any($contenders[]; .status == "ok" and .path == "cache")) |
		"what reads through the page cache has more than one command in flight: the kernel reads \(. / 1024) KiB ahead")];

$list[0].devices[0] as $device | $settings[0] as $set | contenders as $known |
($known | map({ (.name): .same_job }) | add) as $same | runs($same) as $runs |
($known | map(figures($runs))) as $all | ($all | map(with_ratio($all[0]))) as $all |
{
	schema: "sgstream-ab/1",
	exit_status: (if any($all[]; .status == "failed") or all($all[]; .status != "ok") then 1 else 0 end),
	started_at: $set.started_at, argv: $ARGS.positional,
	tool: $list[0].tool, host: { kernel: $set.kernel, cpus: $set.cpus, allow_dio: $list[0].host.allow_dio, load_before: $load },
	versions: ($set.versions | lines | map({ (.[0]): .[1] }) | add),
	device: ($device | del(.readable, .problem, .engines)),
	bs_bytes: $set.bs_bytes, run_bytes: $set.run_bytes, rounds: $set.rounds, warmup_rounds: 1,
	timeout_s: $set.timeout_s, depth: 1,
	contenders: $all, false_number: false_number($device.sg_path),
	verdict: ($all | verdict($device.path)),
	warnings: [$all | warnings($load; $host_cpus)], notes: notes($device; $all)
}
