// SPDX-License-Identifier: MIT
/*
 * The page in a real browser: nothing on its console, nothing asked of the network, a table that
 * sorts, plots that can be seen, light and dark, on a phone. Skipped without Chromium.
 * STAMPEDE_PAGE: a page to look at instead of the sample's; STAMPEDE_SHOTS: where to leave pictures.
 */
#include "tests/plots_fixture.h"

#include "tests/cdp.h"

struct browser {
	struct fixture *f;
	struct cdp cdp;
	char url[PATH_MAX + 16];
};

static struct browser the_browser;

static int page_setup(void **state)
{
	struct browser *b = &the_browser;
	const char *page = getenv("STAMPEDE_PAGE");
	char profile[PATH_MAX];
	void *fixture;

	fixture_setup(&fixture);
	b->f = fixture;
	run_write(b->f);
	if (!page)
		assert_int_equal(make_all(b->f->run, NULL), 0);
	assert_true(snprintf(profile, sizeof(profile), "%.4000s/profile", b->f->dir) > 0);
	snprintf(b->url, sizeof(b->url), "file://%s", page ? page : in_run(b->f, "report.html"));
	*state = b;
	if (cdp_open(&b->cdp, profile)) {
		json_decref(cdp_call(&b->cdp, "Runtime.enable", NULL));
		json_decref(cdp_call(&b->cdp, "Log.enable", NULL));
		json_decref(cdp_call(&b->cdp, "Network.enable", NULL));
		json_decref(cdp_call(&b->cdp, "Page.enable", NULL));
		json_decref(cdp_call(&b->cdp, "Page.navigate", json_pack("{s:s}", "url", b->url)));
		if (!cdp_await(&b->cdp, "Page.loadEventFired", 20))
			fail_msg("the page does not load");
	} else if (b->cdp.pid > 0) {
		fail_msg("Chromium does not answer");
	}
	return 0;
}

static int page_teardown(void **state)
{
	struct browser *b = *state;
	void *fixture = b->f;

	cdp_close(&b->cdp);
	/* The browser may still be writing its profile. */
	usleep(300000);
	return fixture_teardown(&fixture);
}

static struct cdp *opened(void **state)
{
	struct browser *b = *state;

	if (b->cdp.pid <= 0) {
		print_message("skipped: needs Debian's chromium\n");
		skip();
	}
	return &b->cdp;
}

static double number_on(struct cdp *cdp, const char *expression)
{
	json_t *value = cdp_value(cdp, expression);
	double its = json_number_value(value);

	if (!json_is_number(value))
		fail_msg("no number: %s", expression);
	json_decref(value);
	return its;
}

static bool is_true(struct cdp *cdp, const char *expression)
{
	json_t *value = cdp_value(cdp, expression);
	bool its = json_is_true(value);

	if (!json_is_boolean(value))
		fail_msg("neither true nor false: %s", expression);
	json_decref(value);
	return its;
}

static void shoot(struct cdp *cdp, const char *name)
{
	const char *dir = getenv("STAMPEDE_SHOTS");
	char path[PATH_MAX];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%s.png", dir, name);
	assert_true(cdp_screenshot(cdp, path, true));
}

static void screen(struct cdp *cdp, int width, int height)
{
	json_decref(cdp_call(cdp, "Emulation.setDeviceMetricsOverride",
			     json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height,
				       "deviceScaleFactor", 1, "mobile", width < 600)));
}

static void colour_scheme(struct cdp *cdp, const char *scheme)
{
	json_decref(cdp_call(cdp, "Emulation.setEmulatedMedia",
			     json_pack("{s:[{s:s, s:s}]}", "features", "name",
				       "prefers-color-scheme", "value", scheme)));
}

/* What came so far that a quiet page does not cause. */
static size_t complaints(struct browser *b, bool show)
{
	const json_t *event, *params;
	const char *method, *url;
	size_t i, count = 0;

	json_array_foreach(b->cdp.events, i, event) {
		method = json_string_value(json_object_get(event, "method"));
		params = json_object_get(event, "params");
		if (!method)
			continue;
		url = json_string_value(json_object_get(json_object_get(params, "request"), "url"));
		if (strcmp(method, "Runtime.exceptionThrown") &&
		    strcmp(method, "Runtime.consoleAPICalled") && strcmp(method, "Log.entryAdded") &&
		    (strcmp(method, "Network.requestWillBeSent") || !url || !strcmp(url, b->url)))
			continue;
		count++;
		if (show) {
			char *text = json_dumps(params, JSON_COMPACT);

			fprintf(stderr, "%s: %s\n", method, text);
			free(text);
		}
	}
	return count;
}

static void nothing_on_the_console_and_nothing_asked_for(void **state)
{
	opened(state);
	assert_int_equal(complaints(*state, true), 0);
}

/* The checks themselves: what they must see is put there. */
static void a_fault_on_the_page_is_seen(void **state)
{
	struct cdp *cdp = opened(state);
	size_t before = complaints(*state, false);

	json_decref(cdp_value(cdp, "console.error('planted'); 1"));
	json_decref(cdp_value(cdp, "document.body.append(Object.assign(new Image(), "
				   "{src: 'http://example.invalid/x.png', id: 'planted'})); 1"));
	json_decref(cdp_value(cdp, "document.body.append(Object.assign(document.createElement("
				   "'script'), {textContent: 'window.ran = 1', id: 'planted2'})); 1"));
	usleep(300000);
	assert_true(is_true(cdp, "window.ran === undefined")); /* the policy lets nothing run */
	assert_true(complaints(*state, false) >= before + 3);
	json_decref(cdp_value(cdp, "document.getElementById('planted').remove(); "
				   "document.getElementById('planted2').remove(); 1"));
	while (json_array_size(cdp->events))
		json_array_remove(cdp->events, 0);
}

/* By its title: other columns have come after it, and may yet. */
#define COLUMN                                                                                 \
	"Array.from(document.querySelectorAll('table.sortable')[0].tHead.rows[0].cells)"       \
	".findIndex(h => h.textContent === 'ratio to floor')"
#define RATIOS                                                                                 \
	"(at => Array.from(document.querySelector('table.sortable').tBodies[0].rows).map("     \
	"r => r.cells[at].dataset.v).filter(v => v !== '').map(Number))(" COLUMN ")"
#define RATIO_BUTTON                                                                           \
	"document.querySelector('table.sortable').tHead.rows[0].cells[" COLUMN                 \
	"].querySelector('button')"

static void the_table_sorts_by_click_and_by_key(void **state)
{
	struct cdp *cdp = opened(state);
	json_t *before = cdp_value(cdp, RATIOS), *after;

	assert_true(json_array_size(before) > 3);
	assert_false(is_true(cdp, "(v => v.every((x, i) => !i || v[i - 1] <= x))(" RATIOS ")"));
	json_decref(cdp_value(cdp, RATIO_BUTTON ".click(); 1"));
	assert_true(is_true(cdp, "(v => v.every((x, i) => !i || v[i - 1] <= x))(" RATIOS ")"));
	json_decref(cdp_value(cdp, RATIO_BUTTON ".focus(); 1"));
	json_decref(cdp_call(cdp, "Input.dispatchKeyEvent",
			     json_pack("{s:s, s:s, s:s, s:s, s:i}", "type", "keyDown", "key",
				       "Enter", "code", "Enter", "text", "\r",
				       "windowsVirtualKeyCode", 13)));
	json_decref(cdp_call(cdp, "Input.dispatchKeyEvent",
			     json_pack("{s:s, s:s, s:s, s:i}", "type", "keyUp", "key", "Enter",
				       "code", "Enter", "windowsVirtualKeyCode", 13)));
	assert_true(is_true(cdp, "(v => v.every((x, i) => !i || v[i - 1] >= x))(" RATIOS ")"));
	assert_true(is_true(cdp, RATIO_BUTTON ".parentNode.getAttribute('aria-sort') === "
					     "'descending'"));
	json_decref(cdp_value(cdp, RATIO_BUTTON ".click(); 1"));
	after = cdp_value(cdp, RATIOS);
	assert_true(json_equal(before, after)); /* a third time: as it was */
	json_decref(before);
	json_decref(after);
}

static void every_plot_is_to_be_seen(void **state)
{
	struct cdp *cdp = opened(state);

	screen(cdp, 1200, 900);
	assert_true(number_on(cdp, "document.querySelectorAll('figure').length") >= 4);
	assert_true(is_true(cdp, "Array.from(document.querySelectorAll('figure')).every(f => { "
				 "const s = f.querySelector('svg'), r = s.getBoundingClientRect(); "
				 "return r.width > 500 && r.height > 200 && s.querySelectorAll("
				 "'path,use,polygon').length > 3 && s.querySelectorAll('text').length "
				 "> 3 && s.getAttribute('aria-label'); })"));
	/* The data is a click away. */
	assert_true(is_true(cdp, "Array.from(document.querySelectorAll('figure details')).every(d "
				 "=> { d.querySelector('summary').click(); const good = d.open && "
				 "d.querySelector('pre').getBoundingClientRect().height > 20 && "
				 "d.querySelector('pre').textContent.split('\\n').length > 2; "
				 "d.open = false; return good; })"));
	assert_true(number_on(cdp, "document.querySelectorAll('figure details').length") >= 4);
}

/* Luminance contrast of text and paper, as WCAG 2 has it. */
#define CONTRAST                                                                               \
	"(() => { const lum = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255).map("     \
	"v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => "   \
	"s + v * [0.2126, 0.7152, 0.0722][i], 0); const s = getComputedStyle(document.body); " \
	"const a = lum(s.color), b = lum(s.backgroundColor); "                                 \
	"return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); })()"

static void light_and_dark_can_be_read(void **state)
{
	struct cdp *cdp = opened(state);
	json_t *light, *dark;

	screen(cdp, 1200, 900);
	colour_scheme(cdp, "light");
	light = cdp_value(cdp, "getComputedStyle(document.body).backgroundColor");
	assert_true(number_on(cdp, CONTRAST) > 7);
	shoot(cdp, "light");
	colour_scheme(cdp, "dark");
	dark = cdp_value(cdp, "getComputedStyle(document.body).backgroundColor");
	assert_true(number_on(cdp, CONTRAST) > 7);
	shoot(cdp, "dark");
	assert_false(json_equal(light, dark));
	colour_scheme(cdp, "light");
	json_decref(light);
	json_decref(dark);
}

/* Nothing is cut off and nothing scrolls sideways but boxes that are made for it. */
static void a_phone_can_show_it(void **state)
{
	struct cdp *cdp = opened(state);

	screen(cdp, 390, 844);
	shoot(cdp, "phone");
	assert_true(number_on(cdp, "document.documentElement.scrollWidth") <= 390);
	assert_true(is_true(cdp, "Array.from(document.querySelectorAll('.wide, .plot')).every(e => "
				 "getComputedStyle(e).overflowX === 'auto' && e.tabIndex === 0)"));
	screen(cdp, 1200, 900);
}

/* The table has sixteen columns, and on a desk's screen none is out of sight. */
static void a_desk_shows_every_column(void **state)
{
	struct cdp *cdp = opened(state);

	screen(cdp, 1280, 900);
	assert_true(is_true(cdp, "(e => e.scrollWidth <= e.clientWidth)("
				 "document.querySelector('table.results').parentNode)"));
	/* No title is wider than its column. */
	assert_true(is_true(cdp, "Array.from(document.querySelectorAll('table.results thead th'))"
				 ".every(e => e.scrollWidth <= e.clientWidth)"));
	screen(cdp, 1200, 900);
}

/* On paper nothing can be scrolled to: the table must fit an A4 page less its margins. */
static void paper_holds_the_table(void **state)
{
	struct cdp *cdp = opened(state);

	screen(cdp, 718, 1000);
	json_decref(cdp_call(cdp, "Emulation.setEmulatedMedia", json_pack("{s:s}", "media", "print")));
	shoot(cdp, "print");
	assert_true(number_on(cdp, "document.querySelector('table.results').offsetWidth") <= 718);
	json_decref(cdp_call(cdp, "Emulation.setEmulatedMedia", json_pack("{s:s}", "media", "")));
	screen(cdp, 1200, 900);
}

static void still_quiet_at_the_end(void **state)
{
	opened(state);
	assert_int_equal(complaints(*state, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_on_the_console_and_nothing_asked_for),
		cmocka_unit_test(a_fault_on_the_page_is_seen),
		cmocka_unit_test(the_table_sorts_by_click_and_by_key),
		cmocka_unit_test(every_plot_is_to_be_seen),
		cmocka_unit_test(light_and_dark_can_be_read),
		cmocka_unit_test(a_phone_can_show_it),
		cmocka_unit_test(a_desk_shows_every_column),
		cmocka_unit_test(paper_holds_the_table),
		cmocka_unit_test(still_quiet_at_the_end),
	};

	return cmocka_run_group_tests(tests, page_setup, page_teardown);
}
