/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/capacity.h"

#include <math.h>
#include <string.h>

#include "report/table.h"
#include "report/words.h"
#include "util/units.h"

#define LABEL	"%-11s "
#define MB	1e6
#define MIB	1048576.0
#define PERCENT 100

enum { EACH_UP_TO = 10, COLUMNS = 6 };

struct cell {
	char text[2 * SGS_WORD_ROOM + 8];
};

static void put_row(struct sgs_table *table, const struct cell *cells, size_t n)
{
	const char *texts[COLUMNS];

	for (size_t i = 0; i < n; i++)
		texts[i] = cells[i].text;
	sgs_table_row(table, texts);
}

static const char *word(char buf[SGS_WORD_ROOM], double value)
{
	if (value == floor(value) && value > 0 && value < 1e15)
		return sgs_format_count(buf, SGS_WORD_ROOM, (uint64_t)value);
	return sgs_word_figure(buf, value);
}

/* What is counted has no decimals. */
static void put_figure(struct cell *cell, double value)
{
	word(cell->text, value);
}

static void put_interval(struct cell *cell, const struct sgs_span *span, double unit)
{
	char low[SGS_WORD_ROOM], high[SGS_WORD_ROOM];

	cell->text[0] = '\0';
	if (isnan(span->low))
		return;
	if (isinf(span->high))
		snprintf(cell->text, sizeof cell->text, "from %s on",
			word(low, span->low / unit));
	else
		snprintf(cell->text, sizeof cell->text, "%s to %s", word(low, span->low / unit),
			word(high, span->high / unit));
}

/* ---- the model ---- */

static const char *share_word(char buf[SGS_WORD_ROOM], double share)
{
	snprintf(buf, SGS_WORD_ROOM, "%.3g", share);
	return buf;
}

static void print_head(FILE *out, const struct sgs_model *m)
{
	const struct sgs_measured *host = m->host;
	char size[SGS_WORD_ROOM];

	fprintf(out, "%u result%s", host->files, host->files == 1 ? "" : "s");
	if (host->name[0])
		fprintf(out, " of %s", host->name);
	fprintf(out, " (Linux %s, %u CPU%s): %s, %s per command, depth %u on each drive, %s\n",
		host->kernel, host->cpus, host->cpus == 1 ? "" : "s", m->way.engine,
		sgs_format_size(size, sizeof size, m->way.bs_bytes), m->way.queue_depth,
		m->way.pattern);
	if (m->unit > 1)
		fprintf(out,
			LABEL "%u of them were only read together, and are planned together\n",
			"controllers", m->unit);
}

static void print_law(FILE *out, const struct sgs_scaling *s)
{
	char rate[SGS_WORD_ROOM], sigma[SGS_WORD_ROOM], kappa[SGS_WORD_ROOM],
		missed[SGS_WORD_ROOM];

	fprintf(out, LABEL "one drive %s, contention %s, coherency %s\n", "law",
		sgs_word_rate(rate, s->curve.law.lambda), share_word(sigma, s->curve.law.sigma),
		share_word(kappa, s->curve.law.kappa));
	fprintf(out, LABEL "%zu points of %g to %g drives", "", s->points, s->least, s->most);
	if (isnan(s->missed))
		fputs(", too few to leave one out\n", out);
	else
		fprintf(out, "; one that is left out is missed by %s %% at most\n",
			share_word(missed, PERCENT * s->missed));
}

static void print_zone(FILE *out, const struct sgs_model *m)
{
	char share[SGS_WORD_ROOM];

	if (m->zone_percent == SGS_NO_OFFSET)
		return;
	fprintf(out,
		LABEL
		"the slowest, at %d %% of the drive, gives %s of the first; planned with\n",
		"zones", m->zone_percent, share_word(share, m->zone));
}

static void print_reason(FILE *out, const struct sgs_model *m, enum sgs_ceiling_kind kind)
{
	switch (kind) {
	case SGS_CEILING_PLATEAU:
		fputs("the sweep is flat there", out);
		break;
	case SGS_CEILING_LINK:
		fprintf(out, "its link, %s", m->link_name);
		break;
	case SGS_CEILING_SLOTS:
		fprintf(out, "it takes %u commands at a time, and a drive needs %g",
			m->can_queue, m->needed_depth);
		break;
	case SGS_CEILING_PEAK:
		fputs("coherency makes one more drive a loss", out);
		break;
	case SGS_CEILING_GIVEN:
		fputs("--controller-ceiling", out);
		break;
	default:
		break;
	}
}

static void print_no_ceiling(FILE *out, const struct sgs_model *m)
{
	if (m->can_queue)
		fprintf(out,
			LABEL
			"its ceiling was not reached: it takes %u commands at a time, and a "
			"drive needs %g",
			"controller", m->can_queue, m->needed_depth);
	else
		fprintf(out, LABEL "no ceiling in the results", "controller");
}

static void print_ceiling(FILE *out, const struct sgs_model *m)
{
	double knee = sgs_model_seen_knee(m, &m->drives.curve);
	enum sgs_ceiling_kind kind;
	double ceiling = sgs_model_seen_ceiling(m, &m->drives.curve, &kind);
	char rate[SGS_WORD_ROOM];

	if (isinf(ceiling)) {
		print_no_ceiling(out, m);
	} else {
		fprintf(out, LABEL "%s at most: ", "controller", sgs_word_rate(rate, ceiling));
		print_reason(out, m, kind);
	}
	if (isfinite(knee))
		fprintf(out, "; beyond %s drive%s one more brings less than half",
			word(rate, knee), knee == 1 ? "" : "s");
	fputc('\n', out);
}

static void print_cost(FILE *out, const struct sgs_cost *cost)
{
	const struct sgs_span span = { cost->cpu.median, cost->cpu.low, cost->cpu.high };
	struct cell interval = { "" };
	char figure[SGS_WORD_ROOM];

	if (!cost->cpu.n)
		return;
	fprintf(out, LABEL "%s s of CPU per GiB", "cost",
		sgs_word_figure(figure, cost->cpu.median));
	if (cost->cpu.n > 1) {
		put_interval(&interval, &span, 1);
		fprintf(out, " (%s)", interval.text);
	}
	fprintf(out, " in %zu run%s\n", cost->cpu.n, cost->cpu.n == 1 ? "" : "s");
}

/* ---- what it predicts ---- */

/* Keeps them rising, each once. */
static void insert(unsigned drives[SGS_PREDICTED], size_t *n, double value)
{
	unsigned new = (unsigned)value;
	size_t i = *n;

	if (*n == SGS_PREDICTED || !(value >= 1) || value > UINT32_MAX)
		return;
	for (; i > 0 && drives[i - 1] > new; i--)
		;
	if (i > 0 && drives[i - 1] == new)
		return;
	memmove(&drives[i + 1], &drives[i], (*n - i) * sizeof *drives);
	drives[i] = new;
	(*n)++;
}

size_t sgs_report_capacity_drives(
	const struct sgs_capacity *plan, unsigned drives[SGS_PREDICTED])
{
	double knee = sgs_model_seen_knee(&plan->model, &plan->model.drives.curve);
	double most = plan->model.drives.most, last = SGS_RANGE_TRUSTED * most;
	size_t n = 0;

	if (plan->answered)
		insert(drives, &n, plan->answer.unit_drives);
	if (isfinite(knee)) {
		last = fmax(fmin(knee + 1, last), most);
		insert(drives, &n, fmin(knee, last));
	}
	insert(drives, &n, most);
	insert(drives, &n, last);
	for (double i = 1; i < last; i = i < EACH_UP_TO ? i + 1 : 2 * i)
		insert(drives, &n, i);
	return n;
}

bool sgs_report_capacity_is_far(const struct sgs_capacity *plan, unsigned drives)
{
	return drives > SGS_RANGE_TRUSTED * plan->model.drives.most;
}

static void print_prediction(FILE *out, const struct sgs_capacity *plan)
{
	static const struct sgs_column columns[] = { { "DRIVES", true }, { "MB/s", true },
		{ "95 %", true }, { "MiB/s", true }, { "95 %", true }, { "", false } };
	struct sgs_table *table = sgs_table_new(out, columns, COLUMNS);
	unsigned drives[SGS_PREDICTED];
	size_t n = sgs_report_capacity_drives(plan, drives);

	for (size_t i = 0; i < n; i++) {
		struct sgs_span rate = sgs_predict(&plan->model, drives[i]);
		struct cell cells[COLUMNS] = { 0 };

		put_figure(&cells[0], drives[i]);
		put_figure(&cells[1], rate.median / MB);
		put_interval(&cells[2], &rate, MB);
		put_figure(&cells[3], rate.median / MIB);
		put_interval(&cells[4], &rate, MIB);
		strcpy(cells[5].text, sgs_report_capacity_is_far(plan, drives[i])
					      ? "a guess: more than twice as many as measured"
				      : drives[i] > plan->model.drives.most ? "predicted"
									    : "measured range");
		put_row(table, cells, COLUMNS);
	}
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table of drives)\n", out);
}

/* ---- the answer ---- */

static void print_load(FILE *out, const struct sgs_capacity *plan)
{
	const struct sgs_load *load = &plan->load;
	const struct sgs_answer *a = &plan->answer;
	char rate[SGS_WORD_ROOM], need[SGS_WORD_ROOM], frame[SGS_WORD_ROOM], due[SGS_WORD_ROOM],
		tail[SGS_WORD_ROOM];

	if (load->streams)
		fprintf(out, "%u stream%s of %s", load->streams, load->streams == 1 ? "" : "s",
			sgs_word_rate(rate, load->stream_rate));
	else
		fputs(sgs_word_rate(rate, load->target), out);
	if (load->frame_bytes > 0)
		fprintf(out, ", frames of %s due in %s",
			sgs_word_amount(frame, (uint64_t)load->frame_bytes),
			sgs_word_span(
				due, (uint64_t)(load->deadline_ns > 0
							? load->deadline_ns
							: load->frame_bytes /
								  load->stream_rate * 1e9)));
	if (a->tail_ns > 0)
		fprintf(out, " less %s for a slow command (p99.9)",
			sgs_word_span(tail, (uint64_t)a->tail_ns));
	fprintf(out, ", %g %% to spare: %s\n", PERCENT * load->headroom,
		sgs_word_rate(need, a->need));
}

static void add_need(struct sgs_table *table, const char *what, const struct sgs_span *in_all,
	double of_host, double limit, double serves)
{
	struct cell cells[COLUMNS] = { 0 };

	snprintf(cells[0].text, sizeof cells[0].text, "%s", what);
	put_figure(&cells[1], in_all->median);
	put_interval(&cells[2], in_all, 1);
	put_figure(&cells[3], of_host);
	put_figure(&cells[4], limit > 0 ? limit : NAN);
	put_figure(&cells[5], serves / MB);
	put_row(table, cells, COLUMNS);
}

static void print_needs(FILE *out, const struct sgs_capacity *plan)
{
	static const struct sgs_column columns[] = { { "NEEDED", false }, { "IN ALL", true },
		{ "95 %", true }, { "A HOST", true }, { "LIMIT", true },
		{ "SERVES MB/s", true } };
	const struct sgs_answer *a = &plan->answer;
	const struct sgs_limits_per_host *limits = &plan->limits;
	struct sgs_table *table = sgs_table_new(out, columns, COLUMNS);

	add_need(table, "drives", &a->drives, a->host_drives, limits->drives,
		a->serves[SGS_BINDS_DRIVES]);
	add_need(table, "controllers", &a->controllers, a->host_controllers,
		limits->controllers, a->serves[SGS_BINDS_CONTROLLERS]);
	add_need(table, "cores", &a->cores, isnan(a->cores.median) ? NAN : a->host_cores,
		a->cores_limit, a->serves[SGS_BINDS_CORES]);
	add_need(table, "hosts", &a->hosts, NAN, limits->hosts, NAN);
	if (sgs_table_print(table) != 0)
		fputs("(no memory for the table of needs)\n", out);
}

static void print_binding(FILE *out, const struct sgs_capacity *plan)
{
	const struct sgs_answer *a = &plan->answer;
	char rate[SGS_WORD_ROOM], share[SGS_WORD_ROOM];

	if (a->binding == SGS_BINDS_NOTHING)
		fputs("nothing binds a host by these results and limits; --max-drives and "
		      "--max-controllers say what fits in one\n",
			out);
	else
		fprintf(out, "%s bind first: with them a host serves %s at most",
			sgs_binding_name(a->binding),
			sgs_word_rate(rate, a->serves[a->binding]));
	if (a->binding == SGS_BINDS_CONTROLLERS && a->ceiling != SGS_CEILING_NONE) {
		fputs(": ", out);
		print_reason(out, &plan->model, a->ceiling);
	}
	if (a->binding != SGS_BINDS_NOTHING)
		fputc('\n', out);
	fprintf(out, "one more drive brings %s, %s %% of the first\n",
		sgs_word_rate(rate, a->one_more),
		share_word(share, PERCENT * a->one_more_share));
	if (a->frame_drives > 1)
		fprintf(out,
			"one drive is too slow for a frame in time: let a frame lie on %u of "
			"them\n",
			a->frame_drives);
}

static void print_cached(FILE *out, const struct sgs_capacity *plan)
{
	const struct sgs_answer *a = &plan->answer;
	char cores[SGS_WORD_ROOM], more[SGS_WORD_ROOM], drives[SGS_WORD_ROOM],
		hosts[SGS_WORD_ROOM];
	double extra = a->cached.cores - a->cores.median;

	if (!a->cached.engine)
		return;
	fprintf(out, "through the page cache (%s) the same takes %s cores", a->cached.engine,
		sgs_word_figure(cores, a->cached.cores));
	if (isfinite(extra))
		fprintf(out, ", %s %s", sgs_word_figure(more, fabs(extra)),
			extra < 0 ? "fewer" : "more");
	if (isfinite(a->cached.drives))
		fprintf(out, ": %s drives in %s host%s", word(drives, a->cached.drives),
			word(hosts, a->cached.hosts), a->cached.hosts > 1 ? "s" : "");
	fputc('\n', out);
}

void sgs_report_capacity_text(FILE *out, const struct sgs_capacity *plan)
{
	const struct sgs_model *m = &plan->model;

	print_head(out, m);
	print_law(out, &m->drives);
	print_zone(out, m);
	print_ceiling(out, m);
	print_cost(out, &m->costs[0]);
	fputc('\n', out);
	print_prediction(out, plan);
	if (!plan->answered)
		return;
	fputc('\n', out);
	print_load(out, plan);
	print_needs(out, plan);
	print_binding(out, plan);
	print_cached(out, plan);
}
