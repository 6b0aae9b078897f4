#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Tuning over a drive whose knee the arithmetic gives.
# shellcheck disable=SC2317,SC2154,SC2030,SC2031 # lab_ functions run inside

load ../helpers
load lab

setup_file() { boot --scsi-debug none; }
setup() { prepare; }
teardown() { conclude; }

# 50 ms a command and four of them at a time: four in flight are enough, two give half.
lab_tune() {
	lab-reload "dev_size_mb=32 ndelay=50000000 host_max_queue=4"
	limit=60 sgs tune tune --json -b 16k,64k -q 1,2,4,8 --runtime 250ms /dev/sg0
}

@test "tune finds the depth that the arithmetic of the drive gives" {
	scene_is_done lab_tune
	result tune
	exits 0
	object
	is '.tune | .bs_bytes == 65536 and .share_of_best > 0.9 and .targets[0].found'
	# eight would be right only where, by its own steps, four missed the share
	is 'def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
		def rate($qd): [.tune.targets[0].steps[] | select(.bs_bytes == 65536 and .queue_depth == $qd).bytes_per_second] | median;
		.tune.queue_depth == 4 or (.tune.queue_depth == 8 and rate(4) < 0.99 * rate(8))'
	# four commands in 50 ms are 5.2 MB/s, whatever is asked for
	is '.tune.targets[0].best.bytes_per_second | . < 4 * 65536 / 0.05 * 1.02 and . > 4 * 65536 / 0.05 * 0.5'
}
