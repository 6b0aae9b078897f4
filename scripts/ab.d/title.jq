# SPDX-License-Identifier: BSD-2-Clause
#
# The title of the plot; a quote would end gnuplot's text.

"\(.device.path)  \([.device | .vendor, .product] | map(select(. != "")) | join(" ")), \(.bs_bytes) bytes per command, depth \(.depth), \(.rounds) rounds" |
	gsub("['\\\\\n]"; " ")
