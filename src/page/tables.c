/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a page has besides plots: the drives of a read, bad ranges, hosts, drives and messages.
 */
#include <inttypes.h>
#include <string.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"

/* ---- the drives of a read ---- */

static uint64_t all_errors(const json_t *figures)
{
	json_t *errors = json_object_get(figures, "errors"), *value;
	const char *key;
	uint64_t n = 0;

	json_object_foreach(errors, key, value)
	{
		if (strcmp(key, "retried") != 0 && strcmp(key, "failed") != 0 &&
			json_integer_value(value) > 0)
			n += (uint64_t)json_integer_value(value);
	}
	return n;
}

static void put_device(FILE *out, const json_t *device)
{
	const json_t *latency = json_object_get(device, "latency_ns");

	sgs_html_row(out, sgs_field_text(device, "path"));
	fputs("<td>", out);
	sgs_html_rate(out, sgs_field_number(device, "bytes_per_second"));
	fputs("</td><td>", out);
	sgs_html_count(out, sgs_field_count(device, "commands"));
	fputs("</td><td>", out);
	sgs_html_time(out, sgs_field_number(latency, "p50"));
	fputs("</td><td>", out);
	sgs_html_time(out, sgs_field_number(latency, "p99"));
	fputs("</td><td>", out);
	sgs_html_time(out, sgs_field_number(latency, "max"));
	fputs("</td><td>", out);
	sgs_html_count(out, all_errors(device));
	fputs("</td></tr>\n", out);
}

void sgs_page_devices_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Drive", "rate", "commands", "latency, 50 %",
		"99 %", "slowest", "errors", NULL };
	const json_t *devices = sgs_page_devices(root);

	if (sgs_page_kind(root) != SGS_PAGE_READ || json_array_size(devices) < 2)
		return;
	sgs_html_table(page->out, "Each drive", heads);
	for (size_t i = 0; i < json_array_size(devices); i++)
		put_device(page->out, json_array_get(devices, i));
	sgs_html_table_end(page->out);
}

/* ---- what could not be read ---- */

static void put_ranges(FILE *out, const json_t *device)
{
	const json_t *ranges = json_object_get(device, "bad_ranges");

	for (size_t i = 0; i < json_array_size(ranges); i++) {
		const json_t *range = json_array_get(ranges, i);

		sgs_html_row(out, sgs_field_text(device, "path"));
		for (size_t j = 0; j < 2; j++) {
			json_int_t value = json_integer_value(json_array_get(range, j));

			fputs("<td>", out);
			sgs_html_count(out, value > 0 ? (uint64_t)value : 0);
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
}

static size_t count_ranges(const json_t *devices)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(devices); i++)
		n += json_array_size(json_object_get(json_array_get(devices, i), "bad_ranges"));
	return n;
}

void sgs_page_bad_ranges_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Drive", "first block", "blocks", NULL };
	const json_t *devices = json_object_get(sgs_page_run(root, 0), "devices");

	if (sgs_page_kind(root) != SGS_PAGE_READ || !count_ranges(devices))
		return;
	sgs_html_table(page->out, "Blocks that could not be read", heads);
	for (size_t i = 0; i < json_array_size(devices); i++)
		put_ranges(page->out, json_array_get(devices, i));
	sgs_html_table_end(page->out);
}

/* ---- the streams of a paced read ---- */

static void put_stream(FILE *out, const json_t *stream, const json_t *devices, size_t number)
{
	uint64_t device = sgs_field_count(stream, "device");
	char name[SGS_WORD_ROOM];

	snprintf(name, sizeof name, "%zu", number);
	sgs_html_row(out, name);
	sgs_html_cell(out, sgs_field_text(json_array_get(devices, (size_t)device), "path"));
	fputs("<td>", out);
	sgs_html_count(out, sgs_field_count(stream, "offset_bytes"));
	fputs("</td><td>", out);
	sgs_html_count(out, sgs_field_count(stream, "frames"));
	fputs("</td><td>", out);
	sgs_html_count(out, sgs_field_count(stream, "frames_late"));
	fputs("</td><td>", out);
	sgs_html_count(out, sgs_field_count(stream, "frames_unread"));
	fputs("</td><td>", out);
	sgs_html_time(out, sgs_field_number(stream, "worst_ns"));
	fputs("</td></tr>\n", out);
}

static void say_pace(FILE *out, const json_t *p)
{
	fputs("<p>A frame of ", out);
	sgs_html_count(out, sgs_field_count(p, "frame_bytes"));
	fputs(" bytes every ", out);
	sgs_html_time(out, sgs_field_number(p, "period_ns"));
	fputs(", due within ", out);
	sgs_html_time(out, sgs_field_number(p, "deadline_ns"));
	fputs("; half of all frames took ", out);
	sgs_html_time(out, sgs_field_number(json_object_get(p, "frame_ns"), "p50"));
	fputs(" at most, 99 % ", out);
	sgs_html_time(out, sgs_field_number(json_object_get(p, "frame_ns"), "p99"));
	fputs(", and the slowest ", out);
	sgs_html_time(out, sgs_field_number(json_object_get(p, "frame_ns"), "max"));
	fputs(".</p>\n", out);
}

void sgs_page_playback_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Stream", "<drive", "first byte", "frames",
		"late", "not read", "slowest", NULL };
	const json_t *p = json_object_get(sgs_page_run(root, 0), "playback");
	const json_t *each = json_object_get(p, "each");

	if (!json_is_object(p))
		return;
	say_pace(page->out, p);
	sgs_html_table(page->out, "Frames of each stream", heads);
	for (size_t i = 0; i < json_array_size(each); i++)
		put_stream(page->out, json_array_get(each, i), sgs_page_devices(root), i + 1);
	sgs_html_table_end(page->out);
}

/* ---- hosts ---- */

static bool same_host(const json_t *a, const json_t *b)
{
	return json_equal(json_object_get(a, "host"), json_object_get(b, "host")) &&
	       json_equal(json_object_get(a, "tool"), json_object_get(b, "tool"));
}

static bool host_is_new(const struct sgs_result_set *set, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_host(set->items[i].root, set->items[index].root))
			return false;
	return true;
}

static void put_host(FILE *out, const json_t *root)
{
	const json_t *host = json_object_get(root, "host"),
		     *tool = json_object_get(root, "tool");
	char memory[SGS_WORD_ROOM];
	uint64_t bytes = sgs_field_count(host, "memory_bytes");

	sgs_html_row(out, sgs_field_text(host, "kernel"));
	fputs("<td>", out);
	sgs_html_count(out, sgs_field_count(host, "cpus"));
	fputs("</td><td>", out);
	sgs_html_text(out, bytes ? sgs_word_amount(memory, bytes) : "-");
	fputs("</td>", out);
	sgs_html_cell(out, json_is_true(json_object_get(host, "allow_dio")) ? "yes" : "no");
	sgs_html_cell(out, sgs_field_text(host, "clock"));
	fputs("<td class=\"text\">", out);
	sgs_html_say(out, "%s (%s)", sgs_field_text(tool, "version"),
		sgs_field_text(tool, "commit"));
	fputs("</td></tr>\n", out);
}

void sgs_page_hosts(struct sgs_page *page, const struct sgs_result_set *set)
{
	static const char *const heads[] = { "<Kernel", "CPUs", "memory", "<sg direct I/O",
		"<clock", "<sgstream", NULL };

	sgs_html_table(page->out, "Host and program", heads);
	for (size_t i = 0; i < set->n; i++)
		if (host_is_new(set, i))
			put_host(page->out, set->items[i].root);
	sgs_html_table_end(page->out);
}

/* ---- drives ---- */

static bool same_drive(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "path", "hctl", "vendor", "product", "revision",
		"serial", "lu_name", "blocks", "block_bytes" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
			return false;
	return true;
}

static bool drive_is_new(const struct sgs_result_set *set, size_t item, size_t index)
{
	const json_t *device = json_array_get(sgs_page_devices(set->items[item].root), index);

	for (size_t i = 0; i <= item; i++) {
		const json_t *devices = sgs_page_devices(set->items[i].root);
		size_t n = i < item ? json_array_size(devices) : index;

		for (size_t j = 0; j < n; j++)
			if (same_drive(json_array_get(devices, j), device))
				return false;
	}
	return true;
}

static void put_drive(FILE *out, const json_t *device)
{
	const json_t *controller = json_object_get(device, "controller");
	char model[SGS_PAGE_NAME];

	sgs_html_row(out, sgs_field_text(device, "path"));
	sgs_html_cell(out, sgs_field_text(device, "hctl"));
	sgs_html_cell(out, sgs_page_model(device, model));
	fputs("<td>", out);
	sgs_html_count(out, sgs_field_count(device, "block_bytes"));
	fputs("</td>", out);
	sgs_html_cell(out, sgs_field_text(device, "serial"));
	fputs("<td class=\"text\">", out);
	sgs_html_say(out, "%s %s", sgs_field_text(controller, "driver"),
		sgs_field_text(controller, "pci"));
	fputs("</td></tr>\n", out);
}

void sgs_page_drives(struct sgs_page *page, const struct sgs_result_set *set)
{
	static const char *const heads[] = { "<Drive", "<H:C:T:L", "<model", "block, bytes",
		"<serial", "<controller", NULL };

	sgs_html_table(page->out, "Drives", heads);
	for (size_t i = 0; i < set->n; i++) {
		const json_t *devices = sgs_page_devices(set->items[i].root);

		for (size_t j = 0; j < json_array_size(devices); j++)
			if (drive_is_new(set, i, j))
				put_drive(page->out, json_array_get(devices, j));
	}
	sgs_html_table_end(page->out);
}

/* ---- messages ---- */

static const char *class_of(const json_t *message)
{
	if (sgs_field_is_text(message, "level", "error"))
		return "bad";
	return sgs_field_is_text(message, "level", "warning") ? "care" : "note";
}

static void put_messages(FILE *out, const struct sgs_result_item *item)
{
	const json_t *messages = json_object_get(item->root, "messages");

	for (size_t i = 0; i < json_array_size(messages); i++) {
		const json_t *message = json_array_get(messages, i);

		fprintf(out, "<li><span class=\"%s\">", class_of(message));
		sgs_html_text(out, sgs_field_text(message, "level"));
		fputs("</span> ", out);
		sgs_html_text(out, sgs_field_text(message, "text"));
		sgs_html_say(out, " [%s]", item->name);
		fputs("</li>\n", out);
	}
}

void sgs_page_messages(struct sgs_page *page, const struct sgs_result_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += json_array_size(json_object_get(set->items[i].root, "messages"));
	if (!n) {
		fputs("<p>No result has a warning, an error or a note.</p>\n", page->out);
		return;
	}
	fputs("<ul class=\"messages\">\n", page->out);
	for (size_t i = 0; i < set->n; i++)
		put_messages(page->out, &set->items[i]);
	fputs("</ul>\n", page->out);
}
