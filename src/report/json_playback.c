/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_value.h"
#include "report/playback.h"

static json_t *stream_object(const struct sgs_stream_result *s)
{
	const struct sgs_json_pair pairs[] = {
		{ "device", sgs_json_count(s->device) },
		{ "offset_bytes", sgs_json_count(s->offset_bytes) },
		{ "frames", sgs_json_count(s->frames) },
		{ "frames_late", sgs_json_count(s->late) },
		{ "frames_unread", sgs_json_count(s->unread) },
		{ "worst_ns", sgs_json_count(s->worst_ns) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *streams_array(const struct sgs_playback *p)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < p->streams; i++)
		array = sgs_json_append(array, stream_object(&p->each[i]));
	return array;
}

static json_t *add_frames(json_t *object, const struct sgs_playback *p)
{
	const struct sgs_json_pair pairs[] = {
		{ "frames", sgs_json_count(p->frames) },
		{ "frames_late", sgs_json_count(p->late) },
		{ "frames_unread", sgs_json_count(p->unread) },
		{ "frame_ns", sgs_json_latency(&p->time) },
		{ "each", streams_array(p) },
		{ NULL, NULL },
	};

	return sgs_json_extend(object, pairs);
}

json_t *sgs_json_add_playback(json_t *object, const struct sgs_run_result *run)
{
	const struct sgs_playback *p = run->playback;
	json_t *own;

	if (!p)
		return object;
	own = sgs_json_object((const struct sgs_json_pair[]){
		{ "streams", sgs_json_count(p->streams) },
		{ "stream_bytes_per_second", sgs_json_count(p->rate) },
		{ "frame_bytes", sgs_json_count(p->frame_bytes) },
		{ "period_ns", sgs_json_count(p->period_ns) },
		{ "deadline_ns", sgs_json_count(p->deadline_ns) },
		{ NULL, NULL },
	});
	return sgs_json_set(object, "playback", run->started ? add_frames(own, p) : own);
}
