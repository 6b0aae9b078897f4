/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PCI Express links from a controller up to the root: each joins a port and what is plugged
 * into it, and runs at what both can do, or at less.
 */
#include "doctor/checks.h"

#include <stdio.h>
#include <string.h>

#include "topology/pcie.h"

struct end {
	struct sgs_pcie_end rates;
	const char *address;
};

static bool read_end(struct end *end, const char *folder)
{
	end->address = sgs_node_name(folder);
	return sgs_pcie_end_read(&end->rates, folder);
}

static double gigabytes(const struct sgs_pcie_rate *rate)
{
	return sgs_pcie_bytes_per_second(rate) / 1e9;
}

/* "8.0 GT/s x4 (3.9 GB/s)" */
static char *describe(char buf[64], const struct sgs_pcie_rate *rate)
{
	char link[SGS_PCIE_ROOM];

	snprintf(buf, 64, "%.40s (%.3g GB/s)", sgs_pcie_format(link, rate), gigabytes(rate));
	return buf;
}

static void say_degraded(
	struct sgs_exam *exam, const struct end *end, const struct sgs_pcie_rate *could)
{
	char now[64], then[64];

	sgs_find(exam, SGS_FOUND_WARNING,
		"the PCIe link of %s runs at %s, and both its ends can do %s: every drive "
		"behind it "
		"shares what is left; reseat the card, and look at the slot's settings in the "
		"BIOS",
		end->address, describe(now, &end->rates.now), describe(then, could));
}

static void say_slot(struct sgs_exam *exam, const struct end *card)
{
	char controller[80], now[64], then[64];

	sgs_find(exam,
		card->rates.now.width < card->rates.most.width ? SGS_FOUND_WARNING
							       : SGS_FOUND_INFO,
		"the slot of %s gives it %s, and the card can do %s: put it into a wider or "
		"newer slot "
		"if the drives behind it add up to more",
		sgs_exam_controller(exam, controller, sizeof(controller)),
		describe(now, &card->rates.now), describe(then, &card->rates.most));
}

static void say_narrow(struct sgs_exam *exam, const struct end *end, const struct end *card)
{
	char controller[80], now[64], then[64];

	sgs_find(exam, SGS_FOUND_WARNING,
		"the PCIe link of the bridge %s above %s carries %s, less than the card's own "
		"%s: that "
		"is the ceiling of all that is behind it",
		end->address, sgs_exam_controller(exam, controller, sizeof(controller)),
		describe(now, &end->rates.now), describe(then, &card->rates.now));
}

/* Looks at one link. folder is its lower end, and becomes its upper one. */
static bool judge(struct sgs_exam *exam, char *folder, const struct end *card)
{
	char lower_folder[PATH_MAX];
	struct sgs_pcie_link link;
	struct end lower;

	strcpy(lower_folder, folder);
	if (!sgs_pcie_link_read(&link, folder))
		return false;
	lower = (struct end){ link.lower, sgs_node_name(lower_folder) };
	if (sgs_pcie_is_below(&lower.rates.now, &link.could))
		say_degraded(exam, &lower, &link.could);
	else if (strcmp(lower.address, card->address) == 0 &&
		 sgs_pcie_is_below(&lower.rates.now, &lower.rates.most))
		say_slot(exam, card);
	else if (gigabytes(&lower.rates.now) < 0.99 * gigabytes(&card->rates.now))
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
	while (judge(exam, folder, &card) && sgs_folder_up(folder))
		;
	if (exam->findings->n == before)
		sgs_find(exam, SGS_FOUND_OK, "its PCIe link runs at %s, all that it can",
			describe(now, &card.rates.now));
}
