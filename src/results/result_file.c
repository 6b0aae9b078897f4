/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/result_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "util/text.h"

#define FAMILY "sgstream/"
#define SCHEMA FAMILY "1"

int sgs_result_file_refuse(const char *file, const struct sgs_result_wish *wish,
	const char *why, struct sgs_error *err)
{
	return sgs_fail(err, SGS_USAGE, wish->code, "%s is no %s: %s; %s", file, wish->what,
		why, wish->remedy);
}

int sgs_result_file_unreadable(
	const char *file, const struct sgs_result_wish *wish, int error, struct sgs_error *err)
{
	return sgs_fail(err, sgs_status_from_errno(error), "cannot_read",
		"%s: cannot be read: %s; %s", file, strerrordesc_np(error), wish->remedy);
}

/* One that a later program wrote is ours, but not to be guessed at. */
int sgs_result_file_check(const char *file, const struct sgs_result_wish *wish,
	const json_t *root, struct sgs_error *err)
{
	const char *schema = sgs_field_text(root, "schema");
	char why[100], shown[40];

	if (!strcmp(schema, SCHEMA))
		return 0;
	if (strncmp(schema, FAMILY, strlen(FAMILY)) != 0)
		return sgs_result_file_refuse(file, wish, "it is another object", err);
	sgs_copy_utf8(shown, sizeof shown, schema);
	snprintf(why, sizeof why, "its schema is '%s', and this program reads %s", shown,
		SCHEMA);
	return sgs_result_file_refuse(file, wish, why, err);
}

int sgs_result_file_load(const char *file, const struct sgs_result_wish *wish, json_t **root,
	struct sgs_error *err)
{
	json_error_t why;
	struct stat st;
	int status;

	*root = NULL;
	if (stat(file, &st) < 0)
		return sgs_result_file_unreadable(file, wish, errno, err);
	if (!S_ISREG(st.st_mode))
		return sgs_result_file_refuse(file, wish, "it is no regular file", err);
	errno = 0;
	*root = json_load_file(file, JSON_REJECT_DUPLICATES, &why);
	if (!*root && errno == EACCES)
		return sgs_result_file_unreadable(file, wish, errno, err);
	if (!*root)
		return sgs_result_file_refuse(file, wish, why.text, err);
	status = sgs_result_file_check(file, wish, *root, err);
	if (!status)
		return 0;
	json_decref(*root);
	*root = NULL;
	return status;
}

/* ---- fields ---- */

bool sgs_field_is_text(const json_t *object, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value && !strcmp(value, text);
}

const char *sgs_field_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

uint64_t sgs_field_count(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 ? (uint64_t)value : 0;
}

double sgs_field_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

json_t *sgs_field_walk(const json_t *object, ...)
{
	json_t *value = (json_t *)object;
	const char *key;
	va_list keys;

	va_start(keys, object);
	while ((key = va_arg(keys, const char *)))
		value = json_object_get(value, key);
	va_end(keys);
	return value;
}

/* ---- the same again ---- */

static bool same_members(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_foreach((json_t *)a, key, value)
	{
		if (!sgs_result_same(value, json_object_get(b, key)))
			return false;
	}
	return true;
}

static bool same_elements(const json_t *a, const json_t *b)
{
	const json_t *value;
	size_t i;

	if (json_array_size(a) != json_array_size(b))
		return false;
	json_array_foreach(a, i, value)
	{
		if (!sgs_result_same(value, json_array_get(b, i)))
			return false;
	}
	return true;
}

bool sgs_result_same(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return json_number_value(a) == json_number_value(b);
	if (json_is_object(a) && json_is_object(b))
		return same_members(a, b);
	if (json_is_array(a) && json_is_array(b))
		return same_elements(a, b);
	return json_equal(a, b);
}

/* ---- runs ---- */

json_t *sgs_result_cell_run(const json_t *root, const json_t *cell)
{
	const json_t *index = json_object_get(cell, "run");
	json_t *run = json_is_integer(index) && json_integer_value(index) >= 0
			      ? json_array_get(json_object_get(root, "runs"),
					(size_t)json_integer_value(index))
			      : NULL;
	const json_t *status = json_object_get(run, "exit_status");

	return json_is_integer(status) && !json_integer_value(status) &&
			       json_is_object(json_object_get(run, "total"))
		       ? run
		       : NULL;
}
