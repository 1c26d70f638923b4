// SPDX-License-Identifier: MIT
/* The tails for the record. */
#include "workloads/tails.h"

const char *tails_regime_name(enum tails_regime regime)
{
	static const char *const names[TAILS_REGIMES] = { "calm", "storm", "replay" };

	return names[regime];
}

/* A percentile, or null where there are no samples. */
static json_t *part_json(const struct histogram *histogram, double part)
{
	if (!histogram->count)
		return json_null();
	return json_integer((json_int_t)histogram_percentile(histogram, part));
}

json_t *tails_json(const struct tails_config *config, const struct tails_result *result)
{
	const struct histogram *clear = &result->clear, *hit = &result->hit;
	json_t *json = json_object();
	bool good = !result->violation[0];

#define SET(key, value) json_object_set_new(json, key, value)
#define COUNT(key, value) SET(key, json_integer((json_int_t)(value)))
	SET("row", json_string(config->driver->row));
	SET("variant", json_boolean(config->driver->variant));
	SET("regime", json_string(tails_regime_name(config->regime)));
	SET("gaps", config->gaps ? json_string(config->gaps->name) : json_null());
	SET("unit", json_string("ticks"));
	COUNT("samples", clear->count + hit->count);
	COUNT("hits", hit->count);
	SET("violation", good ? json_null() : json_string(result->violation));
	COUNT("unmet_needs", result->unmet);
	SET("p50", good ? part_json(clear, 0.5) : json_null());
	SET("p99", good ? part_json(clear, 0.99) : json_null());
	SET("p999", good ? part_json(clear, 0.999) : json_null());
	SET("p9999", good ? part_json(clear, 0.9999) : json_null());
	SET("max", good ? part_json(clear, 1) : json_null());
	SET("hit_p50", good ? part_json(hit, 0.5) : json_null());
	SET("hit_max", good ? part_json(hit, 1) : json_null());
	SET("fence_p50", part_json(&result->fence, 0.5));
	COUNT("signals", result->delivered);
	SET("seconds", json_real(result->seconds));
#undef COUNT
#undef SET
	return json;
}
