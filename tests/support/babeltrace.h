/* SPDX-License-Identifier: MIT */
/* For tests: what libbabeltrace2 reads of a CTF trace. Include after cmocka.h. */
#ifndef STAMPEDE_TESTS_BABELTRACE_H
#define STAMPEDE_TESTS_BABELTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <babeltrace2/babeltrace.h>

/* One event: its time by babeltrace2 in ticks, and integers of its payload by name. */
typedef void babeltrace_event_fn(void *arg, uint64_t ticks, const bt_field *payload,
				 const char *name);

struct babeltrace {
	babeltrace_event_fn *event;
	void *arg;
	uint64_t events;
	uint64_t discarded_events; /* messages about */
	uint64_t discarded_packets;
	uint64_t packets;
};

/* The integer `name` of a payload. */
static inline uint64_t babeltrace_integer(const bt_field *payload, const char *name)
{
	const bt_field *field = bt_field_structure_borrow_member_field_by_name_const(payload, name);

	assert_non_null(field);
	return bt_field_integer_unsigned_get_value(field);
}

static inline void babeltrace_message(struct babeltrace *reader, const bt_message *message)
{
	const bt_clock_snapshot *clock;
	const bt_event *event;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		reader->discarded_events++;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		reader->discarded_packets++;
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		reader->packets++;
		break;
	case BT_MESSAGE_TYPE_EVENT:
		reader->events++;
		clock = bt_message_event_borrow_default_clock_snapshot_const(message);
		event = bt_message_event_borrow_event_const(message);
		if (reader->event)
			reader->event(reader->arg, bt_clock_snapshot_get_value(clock),
				      bt_event_borrow_payload_field_const(event),
				      bt_event_class_get_name(bt_event_borrow_class_const(event)));
		break;
	default:
		break;
	}
}

static inline bt_graph_simple_sink_component_consume_func_status
babeltrace_consume(bt_message_iterator *iterator, void *arg)
{
	bt_message_iterator_next_status status;
	bt_message_array_const messages;
	uint64_t count, i;

	status = bt_message_iterator_next(iterator, &messages, &count);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	for (i = 0; i < count; i++) {
		babeltrace_message(arg, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static inline const bt_plugin *babeltrace_plugin(const char *name)
{
	const bt_plugin *plugin = NULL;

	assert_int_equal(bt_plugin_find(name, true, false, true, false, true, &plugin),
			 BT_PLUGIN_FIND_STATUS_OK);
	return plugin;
}

static inline void babeltrace_connect(bt_graph *graph, const bt_component_source *source,
				      const bt_component_filter *muxer,
				      const bt_component_sink *sink)
{
	uint64_t ports = bt_component_source_get_output_port_count(source), i;

	for (i = 0; i < ports; i++)
		assert_int_equal(
			bt_graph_connect_ports(
				graph,
				bt_component_source_borrow_output_port_by_index_const(source, i),
				bt_component_filter_borrow_input_port_by_index_const(muxer, i),
				NULL),
			BT_GRAPH_CONNECT_PORTS_STATUS_OK);
	assert_int_equal(bt_graph_connect_ports(
				 graph,
				 bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
				 bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL),
			 BT_GRAPH_CONNECT_PORTS_STATUS_OK);
}

/*
 * Reads the trace in `dir`; false if babeltrace2 gives up on it. Its warnings go to stderr, where
 * the caller captures them.
 */
static inline bool babeltrace_read(const char *dir, struct babeltrace *reader)
{
	const bt_plugin *ctf = babeltrace_plugin("ctf"), *utils = babeltrace_plugin("utils");
	bt_value *params = bt_value_map_create(), *inputs = bt_value_array_create();
	bt_graph *graph = bt_graph_create(0);
	const bt_component_source *source = NULL;
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	bool good;

	bt_value_array_append_string_element(inputs, dir);
	bt_value_map_insert_entry(params, "inputs", inputs);
	good = bt_graph_add_source_component(
		       graph, bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs"),
		       "ctf", params, BT_LOGGING_LEVEL_WARNING,
		       &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
	if (good) {
		assert_int_equal(bt_graph_add_filter_component(
					 graph,
					 bt_plugin_borrow_filter_component_class_by_name_const(
						 utils, "muxer"),
					 "muxer", NULL, BT_LOGGING_LEVEL_WARNING, &muxer),
				 BT_GRAPH_ADD_COMPONENT_STATUS_OK);
		assert_int_equal(bt_graph_add_simple_sink_component(graph, "test", NULL,
								    babeltrace_consume, NULL,
								    reader, &sink),
				 BT_GRAPH_ADD_COMPONENT_STATUS_OK);
		babeltrace_connect(graph, source, muxer, sink);
		good = bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
	}
	bt_current_thread_clear_error();
	bt_graph_put_ref(graph);
	bt_value_put_ref(params);
	bt_value_put_ref(inputs);
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	return good;
}

#endif
