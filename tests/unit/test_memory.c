/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that data is read into. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sys/kernel.h"

#define HUGE (2u << 20)

/* Whether the mapping at addr has a flag of proc_pid_smaps(5), as "hg". */
static bool has_flag(const void *addr, const char *flag)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	bool inside = false, found = false;
	char line[512], word[8];

	assert_non_null(file);
	snprintf(word, sizeof(word), " %s ", flag);
	while (fgets(line, sizeof(line), file)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = (uintptr_t)addr >= from && (uintptr_t)addr < to;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, word) != NULL;
	}
	fclose(file);
	return found;
}

/* Pages that the process has mapped. */
static uint64_t mapped(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return pages;
}

static void zeroed_and_aligned(void **state)
{
	static const size_t sizes[] = { 512, 4096, 65536, (1 << 20) - 4096, 1 << 20, HUGE,
		HUGE + 4096, 5u << 20 };
	(void)state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		unsigned char *p = NULL;

		assert_int_equal(sgs_sys_alloc(sizes[i], (void **)&p), 0);
		assert_int_equal((uintptr_t)p % (sizes[i] >= HUGE / 2 ? HUGE : 4096), 0);
		for (size_t at = 0; at < sizes[i]; at += 509)
			assert_int_equal(p[at], 0);
		memset(p, 1, sizes[i]);
		sgs_sys_free(p, sizes[i]);
	}
}

/* What is cut off to align it, too: 64 times 2 MiB or more would stay. */
static void all_of_it_is_given_back(void **state)
{
	uint64_t before = mapped();
	(void)state;

	for (int i = 0; i < 64; i++) {
		void *p = NULL;

		assert_int_equal(sgs_sys_alloc((1 << 20) + 4096 * (size_t)i, &p), 0);
		sgs_sys_free(p, (1 << 20) + 4096 * (size_t)i);
	}
	assert_true((mapped() - before) * 4096 < 32u << 20);
}

static void large_ones_ask_for_huge_pages(void **state)
{
	void *small = NULL, *large = NULL;
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
	(void)state;

	if (!file) {
		print_message("this kernel has no huge pages\n");
		skip();
	}
	fclose(file);
	assert_int_equal(sgs_sys_alloc(65536, &small), 0);
	assert_int_equal(sgs_sys_alloc(1 << 20, &large), 0);
	assert_true(has_flag(large, "hg"));
	assert_false(has_flag(small, "hg"));
	sgs_sys_free(small, 65536);
	sgs_sys_free(large, 1 << 20);
}

static void too_much_is_refused(void **state)
{
	void *p = NULL;
	(void)state;

	assert_true(sgs_sys_alloc((size_t)1 << 46, &p) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_and_aligned),
		cmocka_unit_test(all_of_it_is_given_back),
		cmocka_unit_test(large_ones_ask_for_huge_pages),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
