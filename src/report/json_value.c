/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/host.h"
#include "report/words.h"
#include "util/text.h"

#define SCHEMA	    "sgstream/1"
#define REAL_DIGITS 12 /* bytes per second of a thousand drives, to the byte */

json_t *sgs_json_set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *sgs_json_extend(json_t *object, const struct sgs_json_pair *pairs)
{
	for (; pairs->key; pairs++)
		object = sgs_json_set(object, pairs->key, pairs->value);
	return object;
}

json_t *sgs_json_object(const struct sgs_json_pair *pairs)
{
	return sgs_json_extend(json_object(), pairs);
}

json_t *sgs_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) == 0)
		return array;
	json_decref(array);
	return NULL;
}

json_t *sgs_json_count(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *sgs_json_count_or_null(uint64_t value)
{
	return value == 0 ? json_null() : sgs_json_count(value);
}

json_t *sgs_json_known(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

json_t *sgs_json_number(double value)
{
	return isfinite(value) && value >= 0 ? json_real(value) : json_null();
}

json_t *sgs_json_text(const char *text)
{
	size_t cap;
	char *copy;
	json_t *value;

	if (!text)
		return json_null();
	cap = strlen(text) + 1; /* the copy is never longer */
	copy = malloc(cap);
	if (!copy)
		return NULL;
	sgs_copy_utf8(copy, cap, text);
	value = json_string(copy);
	free(copy);
	return value;
}

json_t *sgs_json_text_or_null(const char *text)
{
	return sgs_json_text(text && *text ? text : NULL);
}

json_t *sgs_json_add_identity(json_t *object, const struct sgs_device *device)
{
	const struct sgs_identity *id = &device->identity;
	const struct sgs_json_pair pairs[] = {
		{ "hctl", sgs_json_text_or_null(device->hctl) },
		{ "vendor", sgs_json_text(id->vendor) },
		{ "product", sgs_json_text(id->product) },
		{ "revision", sgs_json_text(id->revision) },
		{ "serial", sgs_json_text(id->serial) },
		{ "lu_name", sgs_json_text(id->lu_name) },
		{ NULL, NULL },
	};

	return sgs_json_extend(object, pairs);
}

json_t *sgs_json_controller(const struct sgs_controller *controller)
{
	const struct sgs_json_pair pairs[] = {
		{ "host", sgs_json_known(controller->host) },
		{ "driver", sgs_json_text_or_null(controller->driver) },
		{ "pci", sgs_json_text_or_null(controller->pci) },
		{ "numa_node", sgs_json_known(controller->numa_node) },
		{ "can_queue", sgs_json_count_or_null(controller->can_queue) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *started_at(const struct timespec *at)
{
	char word[SGS_WORD_ROOM];

	return sgs_json_text(sgs_word_utc(word, at));
}

static json_t *tool(void)
{
	const struct sgs_json_pair pairs[] = {
		{ "version", sgs_json_text(sgs_version) },
		{ "commit", sgs_json_text(sgs_commit) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *truth_or_null(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

static json_t *host_object(const struct sgs_host *host, const char *clock)
{
	const struct sgs_json_pair pairs[] = {
		{ "name", sgs_json_text(host->name) },
		{ "kernel", sgs_json_text(host->kernel) },
		{ "cpus", sgs_json_count_or_null(host->cpus) },
		{ "allow_dio", truth_or_null(host->allow_dio) },
		{ "clock", sgs_json_text(clock) },
		{ "memory_bytes", sgs_json_count_or_null(host->memory_bytes) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *host_facts(const char *clock)
{
	struct sgs_host host;

	sgs_host_look(&host);
	return host_object(&host, clock);
}

static json_t *argv_array(const struct sgs_call *call)
{
	json_t *array = json_array();

	for (int i = 0; i < call->argc; i++)
		array = sgs_json_append(array, sgs_json_text(call->argv[i]));
	return array;
}

json_t *sgs_json_head(
	const struct sgs_call *call, const char *status, int exit_status, const char *clock)
{
	const struct sgs_json_pair pairs[] = {
		{ "schema", sgs_json_text(SCHEMA) },
		{ "status", sgs_json_text(status) },
		{ "exit_status", json_integer(exit_status) },
		{ "tool", tool() },
		{ "host", host_facts(clock) },
		{ "started_at", started_at(&call->started_at) },
		{ "argv", argv_array(call) },
		{ "command", sgs_json_text(call->command) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *message_object(const struct sgs_message *message)
{
	static const char *const levels[] = {
		[SGS_INFO] = "info",
		[SGS_WARNING] = "warning",
		[SGS_ERROR] = "error",
	};
	const struct sgs_json_pair pairs[] = {
		{ "level", sgs_json_text(levels[message->level]) },
		{ "code", sgs_json_text(message->code) },
		{ "text", sgs_json_text(message->text) },
		{ NULL, NULL },
	};
	json_t *object = sgs_json_object(pairs);

	if (message->device[0] == '\0')
		return object;
	return sgs_json_set(object, "device", sgs_json_text(message->device));
}

json_t *sgs_json_messages(const struct sgs_result *results, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < results[i].n_messages; j++)
			array = sgs_json_append(array, message_object(&results[i].messages[j]));
	}
	return array;
}

int sgs_json_write(FILE *out, json_t *root)
{
	int failed;

	if (!root)
		return -ENOMEM;
	errno = 0;
	failed = json_dumpf(root, out, JSON_REAL_PRECISION(REAL_DIGITS)) != 0 ||
		 fputc('\n', out) == EOF || fflush(out) != 0 || ferror(out);
	json_decref(root);
	if (!failed)
		return 0;
	return errno > 0 ? -errno : -EIO;
}
