// SPDX-License-Identifier: MIT
#include "traces/ctf_trace.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/wide.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define STUCK_SECONDS 10 /* of CPU time without a message: far more than any index takes */
#define MEMORY_MOST (UINT64_C(2) << 30) /* of an index that grows for ever */
#define METADATA_MAGIC 0x75d11d57u
#define METADATA_HEADER_BYTES 37
#define METADATA_MOST (1u << 26)

bool ctf_trace_knows_ctf2(void)
{
	return bt_version_get_major() > 2 ||
	       (bt_version_get_major() == 2 && bt_version_get_minor() >= 1);
}

/* ---- a library that stops ---- */

/*
 * At some damage it ends its program by a signal, or goes round in circles. Then
 * what was read is what there is: nothing of the library is called again.
 */
static const int stops[] = { SIGABRT, SIGFPE, SIGPROF, SIGSEGV };
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif
static sigjmp_buf stopped;

static void on_stop(int signal)
{
	siglongjmp(stopped, signal);
}

/* From now on so many seconds of CPU time until the next batch of messages. */
static void watch(bool on)
{
	const struct itimerval limit = { .it_value.tv_sec = on ? STUCK_SECONDS : 0 };

	setitimer(ITIMER_PROF, &limit, NULL);
}

static void catch_stops(bool on)
{
	const struct sigaction action = { .sa_handler = on ? on_stop : SIG_DFL };
	static struct rlimit before;
	struct rlimit limit;
	unsigned int i;

	/* Without memory it aborts. Sanitizers take more than they use. */
	if (on)
		getrlimit(RLIMIT_DATA, &before);
	limit = before;
	if (on && !SANITIZED && limit.rlim_cur > MEMORY_MOST)
		limit.rlim_cur = MEMORY_MOST;
	setrlimit(RLIMIT_DATA, &limit);
	for (i = 0; i < sizeof(stops) / sizeof(*stops) - SANITIZED; i++)
		sigaction(stops[i], &action, NULL);
	watch(on);
}

/* ---- messages ---- */

static struct ctf_stream *stream_of(struct ctf_trace *trace, const bt_stream *library)
{
	const char *name = bt_stream_get_name(library);
	struct ctf_stream *more;
	unsigned int i;

	for (i = 0; i < trace->count; i++)
		if (trace->streams[i].library == library)
			return &trace->streams[i];
	more = realloc(trace->streams, (trace->count + 1) * sizeof(*more));
	if (!more)
		end_memory("a trace");
	trace->streams = more;
	more += trace->count++;
	*more = (struct ctf_stream){ .library = library, .path = strdup(name ? name : "") };
	return more;
}

static void date(struct ctf_trace *trace, const bt_clock_snapshot *clock, struct ctf_event *event)
{
	const bt_clock_class *class = bt_clock_snapshot_borrow_clock_class_const(clock);
	uint64_t hz = bt_clock_class_get_frequency(class), offset;
	int64_t seconds, ns;

	event->timed = true;
	event->ticks = bt_clock_snapshot_get_value(clock);
	event->ns =
		hz == NS_PER_SECOND ? event->ticks : wide_scale(event->ticks, NS_PER_SECOND, hz);
	bt_clock_class_get_offset(class, &seconds, &offset);
	if (!seconds && !offset)
		return;
	trace->dated = true;
	if (bt_clock_snapshot_get_ns_from_origin(clock, &ns) ==
		    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK &&
	    ns >= 0) {
		event->dated = true;
		event->realtime_ns = (uint64_t)ns;
	}
	/* The library ends a program that calls it on with an error. */
	bt_current_thread_clear_error();
}

static void take_event(struct ctf_trace *trace, struct ctf_stream *stream,
		       const bt_message *message)
{
	struct ctf_event event = { .stream = stream, .index = (unsigned)(stream - trace->streams) };

	event.library = bt_message_event_borrow_event_const(message);
	stream->events++;
	if (bt_stream_class_borrow_default_clock_class_const(
		    bt_stream_borrow_class_const(stream->library)))
		date(trace, bt_message_event_borrow_default_clock_snapshot_const(message), &event);
	if (trace->event)
		trace->event(trace->arg, &event);
}

static void begin_packet(struct ctf_stream *stream, const bt_message *message)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(message);
	const bt_field *context = bt_packet_borrow_context_field_const(packet), *cpu;

	stream->packets++;
	stream->events_before = stream->events;
	cpu = context ? bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id") :
			NULL;
	if (cpu && bt_field_get_class_type(cpu) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		stream->cpu = bt_field_integer_unsigned_get_value(cpu);
}

static void take(struct ctf_trace *trace, const bt_message *message)
{
	struct ctf_stream *stream = NULL;
	uint64_t count = 1;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		stream = stream_of(trace, bt_message_stream_beginning_borrow_stream_const(message));
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		stream = stream_of(
			trace, bt_packet_borrow_stream_const(
				       bt_message_packet_beginning_borrow_packet_const(message)));
		begin_packet(stream, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_END:
		stream = stream_of(trace,
				   bt_packet_borrow_stream_const(
					   bt_message_packet_end_borrow_packet_const(message)));
		stream->empty_packets += stream->events == stream->events_before;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		bt_message_discarded_events_get_count(message, &count);
		stream = stream_of(trace, bt_message_discarded_events_borrow_stream_const(message));
		stream->discarded += count;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		bt_message_discarded_packets_get_count(message, &count);
		stream =
			stream_of(trace, bt_message_discarded_packets_borrow_stream_const(message));
		stream->missing_packets += count;
		break;
	case BT_MESSAGE_TYPE_EVENT:
		stream = stream_of(trace, bt_event_borrow_stream_const(
						  bt_message_event_borrow_event_const(message)));
		take_event(trace, stream, message);
		break;
	default:
		break;
	}
	if (stream && trace->message)
		trace->message(trace->arg, stream, (unsigned int)(stream - trace->streams),
			       message);
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *arg)
{
	struct ctf_trace *trace = arg;
	bt_message_array_const messages;
	uint64_t count, i;

	watch(true);
	switch (bt_message_iterator_next(iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
	for (i = 0; i < count; i++) {
		take(trace, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* ---- the graph: a source, a muxer, our sink ---- */

struct graph {
	const bt_plugin *ctf, *utils;
	bt_value *params;
	bt_graph *graph;
	const bt_component_source *source;
};

static bool found(const char *name, const bt_plugin **plugin)
{
	return bt_plugin_find(name, true, true, true, false, true, plugin) ==
	       BT_PLUGIN_FIND_STATUS_OK;
}

static bool open_source(struct graph *graph, const char *dir, bt_logging_level log)
{
	bt_value *inputs = bt_value_array_create();
	bool good;

	bt_graph_put_ref(graph->graph);
	bt_value_put_ref(graph->params);
	graph->params = bt_value_map_create();
	graph->graph = bt_graph_create(0);
	good = inputs && graph->params && graph->graph &&
	       !bt_value_array_append_string_element(inputs, dir) &&
	       !bt_value_map_insert_entry(graph->params, "inputs", inputs) &&
	       !bt_graph_add_source_component(
		       graph->graph,
		       bt_plugin_borrow_source_component_class_by_name_const(graph->ctf, "fs"),
		       "trace", graph->params, log, &graph->source);
	bt_value_put_ref(inputs);
	return good;
}

static bool add_sink(struct graph *graph, struct ctf_trace *trace, const bt_component_sink **sink)
{
	return !bt_graph_add_simple_sink_component(graph->graph, "sink", NULL, consume, NULL, trace,
						   sink);
}

static bool run(struct graph *graph, struct ctf_trace *trace, bt_logging_level log)
{
	uint64_t ports = bt_component_source_get_output_port_count(graph->source), i;
	const bt_component_filter *muxer;
	const bt_component_sink *sink;
	bool good;

	good = !bt_graph_add_filter_component(
		       graph->graph,
		       bt_plugin_borrow_filter_component_class_by_name_const(graph->utils, "muxer"),
		       "muxer", NULL, log, &muxer) &&
	       add_sink(graph, trace, &sink);
	for (i = 0; i < ports && good; i++)
		good = !bt_graph_connect_ports(
			graph->graph,
			bt_component_source_borrow_output_port_by_index_const(graph->source, i),
			bt_component_filter_borrow_input_port_by_index_const(muxer, i), NULL);
	return good &&
	       !bt_graph_connect_ports(
		       graph->graph,
		       bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		       bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL) &&
	       bt_graph_run(graph->graph) == BT_GRAPH_RUN_STATUS_OK;
}

/* The source belongs to its graph: each stream has both of its own. */
static bool run_apart(struct graph *graph, struct ctf_trace *trace, const char *dir)
{
	uint64_t ports = bt_component_source_get_output_port_count(graph->source), i;
	const bt_component_sink *sink;
	bool good = true;
	unsigned int known;

	for (i = 0; i < ports && good; i++) {
		good = (!i || open_source(graph, dir, BT_LOGGING_LEVEL_NONE)) &&
		       add_sink(graph, trace, &sink) &&
		       !bt_graph_connect_ports(
			       graph->graph,
			       bt_component_source_borrow_output_port_by_index_const(graph->source,
										     i),
			       bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL) &&
		       bt_graph_run(graph->graph) == BT_GRAPH_RUN_STATUS_OK;
		/* What comes next may lie at the same address. */
		for (known = 0; known < trace->count; known++)
			trace->streams[known].library = NULL;
	}
	return good;
}

static void close_graph(struct graph *graph)
{
	bt_graph_put_ref(graph->graph);
	bt_value_put_ref(graph->params);
	bt_plugin_put_ref(graph->ctf);
	bt_plugin_put_ref(graph->utils);
}

/* ---- what is wrong ---- */

char *ctf_trace_metadata(const char *dir, size_t *bytes)
{
	char path[4096], *text;
	struct stat is = { 0 };
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	file = fopen(path, "rb");
	if (file && fstat(fileno(file), &is))
		is.st_size = 0;
	*bytes = is.st_size < METADATA_MOST ? (size_t)is.st_size : METADATA_MOST;
	text = calloc(1, *bytes + 1);
	if (!text)
		end_memory("metadata");
	*bytes = file ? fread(text, 1, *bytes, file) : 0;
	if (file)
		fclose(file);
	return text;
}

/* Its metadata begins, packet header or not, with a fragment of JSON. */
static bool is_ctf2(const char *dir)
{
	size_t bytes;
	char *text = ctf_trace_metadata(dir, &bytes);
	bool is = memmem(text, bytes < 256 ? bytes : 256, "\"preamble\"", 10);

	free(text);
	return is;
}

/* The library's own reason, the first of the causes: nearest to the bytes. */
static void explain(struct ctf_trace *trace, const char *dir)
{
	const bt_error *error = bt_current_thread_take_error();

	trace->damaged = true;
	if (is_ctf2(dir) && !ctf_trace_knows_ctf2())
		snprintf(trace->why, sizeof(trace->why),
			 "this is CTF 2, which libbabeltrace2 reads from 2.1 on, and this is %u.%u",
			 bt_version_get_major(), bt_version_get_minor());
	else
		snprintf(trace->why, sizeof(trace->why), "libbabeltrace2 %u.%u: %s",
			 bt_version_get_major(), bt_version_get_minor(),
			 error && bt_error_get_cause_count(error) ?
				 bt_error_cause_get_message(
					 bt_error_borrow_cause_by_index(error, 0)) :
				 "no reason given");
	if (error)
		bt_error_release(error);
}

/* Where metadata in packets has one that is not whole, which the library reads for ever; or -1. */
static long cut_metadata(const char *dir)
{
	/* magic, UUID and checksum, then content and packet in bits */
	uint32_t header[8] = { 0 };
	size_t bytes, at = 0;
	char *text = ctf_trace_metadata(dir, &bytes);
	bool swapped;

	memcpy(header, text, bytes < sizeof(header) ? bytes : sizeof(header));
	swapped = header[0] == __builtin_bswap32(METADATA_MAGIC);
	if (!swapped && header[0] != METADATA_MAGIC)
		at = bytes; /* text alone */
	for (; at + sizeof(header) <= bytes; at += header[7] / 8) {
		memcpy(header, text + at, sizeof(header));
		header[6] = swapped ? __builtin_bswap32(header[6]) : header[6];
		header[7] = swapped ? __builtin_bswap32(header[7]) : header[7];
		if (header[6] > header[7] || header[7] / 8 < METADATA_HEADER_BYTES ||
		    header[7] / 8 > bytes - at)
			break;
	}
	free(text);
	return at < bytes ? (long)at : -1;
}

static int read_guarded(struct ctf_trace *trace, struct graph *graph, const char *dir,
			bt_logging_level log)
{
	if (!found("ctf", &graph->ctf) || !found("utils", &graph->utils))
		return fail_with(EXIT_RESOURCE, "libbabeltrace2 has no plugins `ctf` and `utils`: "
						"install the package libbabeltrace2-0");
	if (!open_source(graph, dir, log)) {
		explain(trace, dir);
		return EXIT_USAGE;
	}
	if (!bt_component_source_get_output_port_count(graph->source)) {
		snprintf(trace->why, sizeof(trace->why),
			 "metadata, but no stream file with a byte in it");
		return EXIT_USAGE;
	}
	if (trace->message ? run_apart(graph, trace, dir) : run(graph, trace, log))
		return EXIT_FINE;
	explain(trace, dir);
	return EXIT_FINE;
}

static int read_trace(struct ctf_trace *trace, const char *dir, bt_logging_level log)
{
	static struct graph graph;
	long cut = cut_metadata(dir);
	int status, signal;

	if (cut >= 0) {
		snprintf(trace->why, sizeof(trace->why),
			 "metadata: offset %ld: a packet that is not whole", cut);
		return fail_with(EXIT_USAGE, "%s: %s; nothing was read", dir, trace->why);
	}
	graph = (struct graph){ .graph = NULL };
	signal = sigsetjmp(stopped, 1);
	if (signal) {
		catch_stops(false);
		trace->stopped = trace->damaged = true;
		snprintf(trace->why, sizeof(trace->why), "libbabeltrace2 %u.%u: %s",
			 bt_version_get_major(), bt_version_get_minor(),
			 signal == SIGPROF ? "it reads on for ever" : strsignal(signal));
		return EXIT_FINE;
	}
	catch_stops(true);
	status = read_guarded(trace, &graph, dir, log);
	if (status == EXIT_USAGE)
		fail_line("%s: %s; nothing was read", dir, trace->why);
	bt_current_thread_clear_error();
	close_graph(&graph);
	catch_stops(false);
	return status;
}

int ctf_trace_read(struct ctf_trace *trace, const char *dir, bt_logging_level log,
		   ctf_event_fn *event, void *arg)
{
	*trace = (struct ctf_trace){ .event = event, .arg = arg };
	return read_trace(trace, dir, log);
}

int ctf_trace_read_apart(struct ctf_trace *trace, const char *dir, ctf_event_fn *event,
			 ctf_message_fn *message, void *arg)
{
	*trace = (struct ctf_trace){ .event = event, .message = message, .arg = arg };
	return read_trace(trace, dir, BT_LOGGING_LEVEL_NONE);
}

void ctf_trace_free(struct ctf_trace *trace)
{
	unsigned int i;

	for (i = 0; i < trace->count; i++)
		free(trace->streams[i].path);
	free(trace->streams);
	*trace = (struct ctf_trace){ .count = 0 };
}

/* ---- fields ---- */

struct integers {
	ctf_integer_fn *integer;
	void *arg;
};

static void walk(const struct integers *to, const char *name, const bt_field *field);

static void walk_members(const struct integers *to, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t count = bt_field_class_structure_get_member_count(class), i;

	for (i = 0; i < count; i++)
		walk(to,
		     bt_field_class_structure_member_get_name(
			     bt_field_class_structure_borrow_member_by_index_const(class, i)),
		     bt_field_structure_borrow_member_field_by_index_const(field, i));
}

static void walk(const struct integers *to, const char *name, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	const bt_field *chosen;

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
		to->integer(to->arg, name, false, bt_field_integer_unsigned_get_value(field));
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		to->integer(to->arg, name, true,
			    (uint64_t)bt_field_integer_signed_get_value(field));
	} else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		walk_members(to, field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		walk(to, name, bt_field_variant_borrow_selected_option_field_const(field));
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		chosen = bt_field_option_borrow_field_const(field);
		if (chosen)
			walk(to, name, chosen);
	}
}

void ctf_event_integers(const struct ctf_event *event, ctf_integer_fn *integer, void *arg)
{
	const bt_field *roots[] = {
		bt_event_borrow_common_context_field_const(event->library),
		bt_event_borrow_specific_context_field_const(event->library),
		bt_event_borrow_payload_field_const(event->library),
	};
	const struct integers to = { integer, arg };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (roots[i])
			walk_members(&to, roots[i]);
}
