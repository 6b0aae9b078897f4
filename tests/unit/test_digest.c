/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/digest.h"

enum { TRANSFER = 4096, TRANSFERS = 16 };

static uint8_t data[TRANSFERS * TRANSFER];

static int fill(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 167 ^ i >> 9);
	return 0;
}

static void add(struct sgs_digest *digest, unsigned index)
{
	sgs_digest_add(digest, data + index * TRANSFER, TRANSFER, index * TRANSFER);
}

static struct sgs_digest of_all(void)
{
	struct sgs_digest digest = { 0 };

	for (unsigned i = 0; i < TRANSFERS; i++)
		add(&digest, i);
	return digest;
}

static bool equal(const struct sgs_digest *x, const struct sgs_digest *y)
{
	return x->valid == y->valid && x->high == y->high && x->low == y->low;
}

static void assert_same(struct sgs_digest x, struct sgs_digest y)
{
	assert_true(equal(&x, &y));
}

static void assert_different(struct sgs_digest x, struct sgs_digest y)
{
	assert_false(equal(&x, &y));
}

/* XXH3-128 of no bytes with seed 0, from the specification of xxHash. */
static void it_is_xxh3_128(void **state)
{
	struct sgs_digest digest = { 0 };
	(void)state;

	sgs_digest_add(&digest, "", 0, 0);
	assert_true(digest.valid);
	assert_true(digest.high == 0x99aa06d3014798d8);
	assert_true(digest.low == 0x6001c324468d497f);
}

static void nothing_read_is_no_digest(void **state)
{
	struct sgs_digest digest = { 0 }, none = { 0 };
	(void)state;

	sgs_digest_merge(&digest, &none);
	assert_false(digest.valid);
	assert_same(digest, none);
}

static void order_does_not_matter(void **state)
{
	struct sgs_digest backwards = { 0 };
	(void)state;

	for (unsigned i = TRANSFERS; i-- > 0;)
		add(&backwards, i);
	assert_same(backwards, of_all());
}

static void readers_merge_to_the_whole(void **state)
{
	struct sgs_digest parts[3] = { { 0 } }, whole = { 0 };
	(void)state;

	for (unsigned i = 0; i < TRANSFERS; i++)
		add(&parts[i * i % 3], i); /* 0 and 1: the third reader had nothing */
	assert_false(parts[2].valid);
	for (int i = 0; i < 3; i++)
		sgs_digest_merge(&whole, &parts[i]);
	assert_same(whole, of_all());
}

static void one_changed_bit_shows(void **state)
{
	struct sgs_digest before = of_all();
	(void)state;

	for (size_t at = 0; at < sizeof(data); at += 4001) {
		data[at] ^= 0x10;
		assert_different(of_all(), before);
		data[at] ^= 0x10;
	}
	assert_same(of_all(), before);
}

static void swapped_transfers_show(void **state)
{
	struct sgs_digest before = of_all();
	uint8_t other[TRANSFER];
	(void)state;

	memcpy(other, data, TRANSFER);
	memcpy(data, data + 5 * TRANSFER, TRANSFER);
	memcpy(data + 5 * TRANSFER, other, TRANSFER);
	assert_different(of_all(), before);
}

/* The classic: each command reads the first blocks again. */
static void the_same_data_from_everywhere_shows(void **state)
{
	struct sgs_digest digest = { 0 };
	(void)state;

	for (unsigned i = 0; i < TRANSFERS; i++)
		sgs_digest_add(&digest, data, TRANSFER, i * TRANSFER);
	assert_different(digest, of_all());
}

static void a_missing_or_doubled_transfer_shows(void **state)
{
	struct sgs_digest fewer = { 0 }, more = of_all();
	(void)state;

	for (unsigned i = 0; i < TRANSFERS - 1; i++)
		add(&fewer, i);
	add(&more, 3);
	assert_different(fewer, of_all());
	assert_different(more, of_all());
}

/* Twice all zeros is not the digest of nothing, as it would be with XOR. */
static void a_pair_does_not_cancel_out(void **state)
{
	struct sgs_digest digest = { 0 }, none = { .valid = true };
	(void)state;

	memset(data, 0, sizeof(data));
	add(&digest, 1);
	add(&digest, 1);
	assert_different(digest, none);
}

/* The sum is one number of 128 bits: the low half carries into the high half. */
static void the_low_half_carries(void **state)
{
	struct sgs_digest digest = { .valid = true, .high = 5, .low = UINT64_MAX };
	const struct sgs_digest one = { .valid = true, .high = 0, .low = 1 };
	const struct sgs_digest most = { .valid = true, .high = UINT64_MAX, .low = UINT64_MAX };
	(void)state;

	sgs_digest_merge(&digest, &one);
	assert_true(digest.high == 6 && digest.low == 0);
	sgs_digest_merge(&digest, &most); /* minus one */
	assert_true(digest.high == 5 && digest.low == UINT64_MAX);
	sgs_digest_merge(&digest, &most);
	assert_true(digest.high == 5 && digest.low == UINT64_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_is_xxh3_128, fill),
		cmocka_unit_test_setup(nothing_read_is_no_digest, fill),
		cmocka_unit_test_setup(order_does_not_matter, fill),
		cmocka_unit_test_setup(readers_merge_to_the_whole, fill),
		cmocka_unit_test_setup(one_changed_bit_shows, fill),
		cmocka_unit_test_setup(swapped_transfers_show, fill),
		cmocka_unit_test_setup(the_same_data_from_everywhere_shows, fill),
		cmocka_unit_test_setup(a_missing_or_doubled_transfer_shows, fill),
		cmocka_unit_test_setup(a_pair_does_not_cancel_out, fill),
		cmocka_unit_test_setup(the_low_half_carries, fill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
