/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/result_set.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/text.h"

static int no_memory(struct sgs_error *err)
{
	return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the results");
}

/* ---- one file ---- */

static int keep(
	struct sgs_result_set *set, const char *file, json_t *root, struct sgs_error *err)
{
	struct sgs_result_item *grown =
		reallocarray(set->items, set->n + 1, sizeof *set->items);

	if (!grown)
		return no_memory(err);
	set->items = grown;
	grown[set->n].name = strdup(file);
	if (!grown[set->n].name)
		return no_memory(err);
	grown[set->n++].root = json_incref(root);
	return 0;
}

/* A result that came to no run, or is of a command that measures nothing. */
static int check_runs(const char *file, const struct sgs_result_wish *wish, const json_t *root,
	struct sgs_error *err)
{
	char why[100], command[24];

	if (json_array_size(json_object_get(root, "runs")))
		return 0;
	sgs_copy_utf8(command, sizeof command, sgs_field_text(root, "command"));
	snprintf(why, sizeof why, "it is of sgstream %s and has no run", command);
	return sgs_result_file_refuse(file, wish, why, err);
}

static int take(struct sgs_result_set *set, const char *file,
	const struct sgs_result_wish *wish, json_t *root, struct sgs_error *err)
{
	int status = sgs_result_file_check(file, wish, root, err);

	if (!status)
		status = check_runs(file, wish, root, err);
	return status ? status : keep(set, file, root, err);
}

/* Nothing but white space is left. */
static bool at_end(FILE *in)
{
	int c;

	do
		c = getc(in);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	if (c == EOF)
		return true;
	ungetc(c, in);
	return false;
}

static int take_all(struct sgs_result_set *set, const char *file,
	const struct sgs_result_wish *wish, FILE *in, struct sgs_error *err)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK;
	json_error_t why;
	int status = 0;

	if (at_end(in))
		return sgs_result_file_refuse(file, wish, "it is empty", err);
	do {
		json_t *root = json_loadf(in, flags, &why);

		status = root ? take(set, file, wish, root, err)
			      : sgs_result_file_refuse(file, wish, why.text, err);
		json_decref(root);
	} while (!status && !at_end(in));
	return status;
}

static int add_file(struct sgs_result_set *set, const char *file,
	const struct sgs_result_wish *wish, struct sgs_error *err)
{
	FILE *in = fopen(file, "re");
	int status;

	if (!in)
		return sgs_result_file_unreadable(file, wish, errno, err);
	status = take_all(set, file, wish, in, err);
	fclose(in);
	return status;
}

/* ---- folders ---- */

static int is_result_name(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end &&
	       (!strcmp(end, ".json") || !strcmp(end, ".jsonl"));
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static int leave_out(
	struct sgs_result_set *set, const struct sgs_error *why, struct sgs_error *err)
{
	char **grown = reallocarray(set->left_out, set->n_left_out + 1, sizeof *grown);

	if (!grown)
		return no_memory(err);
	set->left_out = grown;
	grown[set->n_left_out] = strdup(why->text);
	if (!grown[set->n_left_out])
		return no_memory(err);
	set->n_left_out++;
	return 0;
}

/* In a folder there may be other files, too; what is left out is said. */
static int add_entry(struct sgs_result_set *set, const char *folder, const char *name,
	const struct sgs_result_wish *wish, struct sgs_error *err)
{
	char path[PATH_MAX];
	struct sgs_error why;

	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
		!is_file(path) || !add_file(set, path, wish, &why))
		return 0;
	return leave_out(set, &why, err);
}

static int add_folder(struct sgs_result_set *set, const char *folder,
	const struct sgs_result_wish *wish, struct sgs_error *err)
{
	struct dirent **entries;
	size_t before = set->n;
	int n = scandir(folder, &entries, is_result_name, alphasort), status = 0;

	if (n < 0)
		return sgs_result_file_unreadable(folder, wish, errno, err);
	for (int i = 0; i < n; i++) {
		if (!status)
			status = add_entry(set, folder, entries[i]->d_name, wish, err);
		free(entries[i]);
	}
	free(entries);
	if (!status && set->n == before)
		status = sgs_fail(err, SGS_USAGE, wish->code,
			"%s has no %s in a file that ends in .json or .jsonl; %s", folder,
			wish->what, wish->remedy);
	return status;
}

int sgs_result_set_add(struct sgs_result_set *set, const char *path,
	const struct sgs_result_wish *wish, struct sgs_error *err)
{
	struct stat st;

	if (is_folder(path))
		return add_folder(set, path, wish, err);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return sgs_result_file_refuse(path, wish, "it is no regular file", err);
	return add_file(set, path, wish, err);
}

/* ---- all of them ---- */

static const char *started_at(const struct sgs_result_item *item)
{
	return sgs_field_text(item->root, "started_at");
}

/* RFC 3339 in UTC sorts as text. Few enough for an insertion, which keeps equal ones in place.
 */
void sgs_result_set_sort(struct sgs_result_set *set)
{
	for (size_t i = 1; i < set->n; i++) {
		struct sgs_result_item item = set->items[i];
		size_t to = i;

		for (; to && strcmp(started_at(&set->items[to - 1]), started_at(&item)) > 0;
			to--)
			set->items[to] = set->items[to - 1];
		set->items[to] = item;
	}
}

void sgs_result_set_free(struct sgs_result_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->items[i].name);
		json_decref(set->items[i].root);
	}
	for (size_t i = 0; i < set->n_left_out; i++)
		free(set->left_out[i]);
	free(set->items);
	free(set->left_out);
	*set = (struct sgs_result_set){ 0 };
}
