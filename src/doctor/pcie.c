/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PCI Express links from a controller up to the root: each joins a port and what is plugged
 * into it, and runs at what both can do, or at less.
 */
#include "doctor/checks.h"

#include <stdio.h>
#include <string.h>

#include "sys/sysfs.h"

/* GB/s of one lane at 1 GT/s: 8 bits of 10, since 8 GT/s 128 of 130 (PCIe 3.0 4.2.2). */
#define OLD_CODE 0.1
#define NEW_CODE (128.0 / 130 / 8)

struct rate {
	double speed; /* GT/s per lane, 0 unknown */
	int width;
};

struct end {
	struct rate now, most;
	const char *address;
};

/* "8.0 GT/s PCIe" and "4"; an integrated function has width 0, and one that fell off 255. */
static bool read_rate(struct rate *rate, const char *folder, const char *which)
{
	int64_t width;
	char text[64];

	*rate = (struct rate){ 0 };
	if (sgs_sysfs_text(text, sizeof(text), "%s/%s_link_speed", folder, which) <= 0 ||
		sscanf(text, "%lf GT/s", &rate->speed) != 1 ||
		sgs_sysfs_number(&width, "%s/%s_link_width", folder, which) < 0)
		return false;
	rate->width = width > 0 && width < 64 ? (int)width : 0;
	return rate->speed > 0 && rate->width > 0;
}

static bool read_end(struct end *end, const char *folder)
{
	end->address = sgs_node_name(folder);
	return read_rate(&end->most, folder, "max") && read_rate(&end->now, folder, "current");
}

static double gigabytes(const struct rate *rate)
{
	return rate->speed * rate->width * (rate->speed < 8 ? OLD_CODE : NEW_CODE);
}

static struct rate lesser(const struct rate *a, const struct rate *b)
{
	return (struct rate){ a->speed < b->speed ? a->speed : b->speed,
		a->width < b->width ? a->width : b->width };
}

static bool is_below(const struct rate *a, const struct rate *b)
{
	return a->speed < b->speed || a->width < b->width;
}

/* "8.0 GT/s x4 (3.9 GB/s)" */
static char *describe(char buf[64], const struct rate *rate)
{
	snprintf(buf, 64, "%.1f GT/s x%d (%.3g GB/s)", rate->speed, rate->width,
		gigabytes(rate));
	return buf;
}

static void say_degraded(struct sgs_exam *exam, const struct end *end, const struct rate *could)
{
	char now[64], then[64];

	sgs_find(exam, SGS_FOUND_WARNING,
		"the PCIe link of %s runs at %s, and both its ends can do %s: every drive "
		"behind it "
		"shares what is left; reseat the card, and look at the slot's settings in the "
		"BIOS",
		end->address, describe(now, &end->now), describe(then, could));
}

static void say_slot(struct sgs_exam *exam, const struct end *card)
{
	char controller[80], now[64], then[64];

	sgs_find(exam, card->now.width < card->most.width ? SGS_FOUND_WARNING : SGS_FOUND_INFO,
		"the slot of %s gives it %s, and the card can do %s: put it into a wider or "
		"newer slot "
		"if the drives behind it add up to more",
		sgs_exam_controller(exam, controller, sizeof(controller)),
		describe(now, &card->now), describe(then, &card->most));
}

static void say_narrow(struct sgs_exam *exam, const struct end *end, const struct end *card)
{
	char controller[80], now[64], then[64];

	sgs_find(exam, SGS_FOUND_WARNING,
		"the PCIe link of the bridge %s above %s carries %s, less than the card's own "
		"%s: that "
		"is the ceiling of all that is behind it",
		end->address, sgs_exam_controller(exam, controller, sizeof(controller)),
		describe(now, &end->now), describe(then, &card->now));
}

/* Cuts the last component off; false at the top. */
static bool go_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* Looks at one link. folder is its lower end, and becomes its upper one. */
static bool judge(struct sgs_exam *exam, char *folder, const struct end *card)
{
	char lower_folder[PATH_MAX];
	struct end lower, upper;
	struct rate could;

	strcpy(lower_folder, folder);
	if (!read_end(&lower, lower_folder))
		return false;
	could = lower.most;
	if (go_up(folder) && read_rate(&upper.most, folder, "max"))
		could = lesser(&lower.most, &upper.most);
	if (is_below(&lower.now, &could))
		say_degraded(exam, &lower, &could);
	else if (strcmp(lower.address, card->address) == 0 && is_below(&lower.now, &lower.most))
		say_slot(exam, card);
	else if (gigabytes(&lower.now) < 0.99 * gigabytes(&card->now))
		say_narrow(exam, &lower, card);
	return true;
}

void sgs_check_pcie_link(struct sgs_exam *exam)
{
	size_t before = exam->findings->n;
	char folder[PATH_MAX], now[64];
	struct end card;

	strcpy(folder, exam->pci);
	if (!read_end(&card, exam->pci))
		return;
	/* Above the port that ends a link, the same switch goes on without one. */
	while (judge(exam, folder, &card) && go_up(folder))
		;
	if (exam->findings->n == before)
		sgs_find(exam, SGS_FOUND_OK, "its PCIe link runs at %s, all that it can",
			describe(now, &card.now));
}
