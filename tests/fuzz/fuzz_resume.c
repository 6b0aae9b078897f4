/* SPDX-License-Identifier: BSD-2-Clause */
/* A result that is read back: sweep --resume of any file. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/sweep.h"
#include "run/sweep.h"

#include "fuzz.h"

static struct sgs_device device = {
	.path = "/dev/sg0",
	.sg_path = "/dev/sg0",
	.node = SGS_NODE_SG,
	.is_scsi = true,
	.block_bytes = 512,
	.blocks = 32768,
};

static void make_file(char path[64], int *fd, const uint8_t *data, size_t size)
{
	*fd = memfd_create("resume", MFD_CLOEXEC);
	must(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", *fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sgs_sweep_wish wish = {
		.axes = { [SGS_AXIS_BS] = "4k,64k", [SGS_AXIS_QD] = "1,2" }
	};
	struct sgs_axis axes[SGS_AXES] = { 0 };
	struct sgs_sweep sweep = { 0 };
	struct sgs_sweep_record *record;
	struct sgs_error err = { 0 };
	struct sgs_job job;
	char path[64];
	bool found;
	int fd;

	sgs_job_init(&job);
	must(!sgs_axes_parse(&wish, axes, &err));
	must(!sgs_sweep_make(&sweep, &job, &wish, axes, &device, 1, 1, &err));
	record = sgs_sweep_record_new(&sweep);
	must(record);
	make_file(path, &fd, data, size);
	check_error(sgs_sweep_resume(&sweep, record, path, false, false, &found, &err), &err);
	for (size_t i = 0; i < sweep.n_cells; i++)
		for (size_t m = 0; m < sweep.cells[i].n_messages; m++)
			must(memchr(sweep.cells[i].messages[m].text, 0,
				sizeof sweep.cells[i].messages[m].text));
	close(fd);
	sgs_sweep_record_free(record);
	sgs_sweep_free(&sweep);
	return 0;
}
