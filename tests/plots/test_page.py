# SPDX-License-Identifier: MIT
"""The page in a real browser: nothing on its console, nothing asked of the network, a table that
sorts, plots that can be seen, light and dark, on a phone, on paper. Skipped without Chromium.

STAMPEDE_PAGE: a page to look at instead of the sample's; STAMPEDE_SHOTS: where to leave pictures.
"""
import os
import tempfile

import browser
import plots_fixture
from plots_fixture import PLOTS, PlotsTest

DESK = (1200, 900)

# By its title: other columns have come after it, and may yet.
COLUMN = """Array.from(document.querySelector('table.sortable').tHead.rows[0].cells)
    .findIndex(h => h.textContent === 'ratio to floor')"""
RATIOS = f"""(at => Array.from(document.querySelector('table.sortable').tBodies[0].rows).map(
    r => r.cells[at].dataset.v).filter(v => v !== '').map(Number))({COLUMN})"""
BUTTON = f"document.querySelector('table.sortable').tHead.rows[0].cells[{COLUMN}]" \
         ".querySelector('button')"
# Luminance contrast of text and paper, as WCAG 2 has it.
CONTRAST = """(() => { const lum = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255).map(
    v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) =>
    s + v * [0.2126, 0.7152, 0.0722][i], 0); const s = getComputedStyle(document.body);
    const a = lum(s.color), b = lum(s.backgroundColor);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); })()"""
# What a plot's corner and its letters come to on the screen, its filter applied.
SHADES = """(async () => { const shades = [];
    for (const img of document.querySelectorAll('figure img')) { await img.decode(); const c = document.createElement('canvas');
    c.width = img.naturalWidth; c.height = img.naturalHeight; const g = c.getContext('2d');
    g.filter = getComputedStyle(img).filter; g.drawImage(img, 0, 0);
    const d = g.getImageData(0, 0, c.width, c.height).data; let least = 255, most = 0, ink = 0;
    for (let i = 0; i < d.length; i += 4) { const v = (d[i] + d[i + 1] + d[i + 2]) / 3;
        least = Math.min(least, v); most = Math.max(most, v);
        ink += Math.abs(v - (d[0] + d[1] + d[2]) / 3) > 40; }
    shades.push([img.alt, d[0], least, most, ink]); } return shades; })()"""


class Page(PlotsTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = None
        if not browser.is_there():
            return
        its = cls("make_pictures")
        PlotsTest.setUp(its)
        cls.sample = its
        page = os.environ.get("STAMPEDE_PAGE")
        if not page:
            its.make_pictures()
        cls.url = f"file://{page or its.path('report.html')}"
        cls.profile = tempfile.TemporaryDirectory(prefix="stampede-profile-",
                                                  ignore_cleanup_errors=True)
        cls.browser = browser.Browser(cls.profile.name)
        for domain in ("Runtime", "Log", "Network", "Page"):
            cls.browser.call(f"{domain}.enable")
        cls.browser.call("Page.navigate", url=cls.url)
        cls.browser.wait_for("Page.loadEventFired")

    @classmethod
    def tearDownClass(cls):
        if cls.browser:
            cls.browser.close()
            cls.profile.cleanup()
            cls.sample.doCleanups()

    def setUp(self):
        super().setUp()
        if not self.browser:
            self.skipTest("needs Debian's chromium")
        self.screen(*DESK)

    def value(self, expression):
        return self.browser.value(expression)

    def screen(self, width, height):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                          deviceScaleFactor=1, mobile=width < 600)

    def shoot(self, name):
        folder = os.environ.get("STAMPEDE_SHOTS")
        if folder:
            self.browser.screenshot(os.path.join(folder, f"{name}.png"))

    def media(self, kind="", scheme="light"):
        self.browser.call("Emulation.setEmulatedMedia", media=kind,
                          features=[{"name": "prefers-color-scheme", "value": scheme}])

    def complaints(self):
        """What came so far that a quiet page does not cause."""
        self.browser.settle()
        found = []
        for event in self.browser.events:
            method, params = event.get("method"), event.get("params", {})
            url = params.get("request", {}).get("url", self.url)
            if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled",
                          "Log.entryAdded"):
                found.append(event)
            elif method == "Network.requestWillBeSent" and url != self.url and \
                    not url.startswith("data:image/svg+xml"):
                found.append(event)
        return found

    # Names decide the order: the first and the last look at the console.

    def test_a_nothing_on_the_console_and_nothing_asked_for(self):
        self.assertEqual(self.complaints(), [])

    def test_b_a_fault_on_the_page_is_seen(self):
        """The checks themselves: what they must see is put there."""
        before = len(self.complaints())
        self.value("console.error('planted'); 1")
        self.value("document.body.append(Object.assign(new Image(), "
                   "{src: 'http://example.invalid/x.png', id: 'planted'})); 1")
        self.value("document.body.append(Object.assign(document.createElement('script'), "
                   "{textContent: 'window.ran = 1', id: 'planted2'})); 1")
        after = len(self.complaints())
        self.assertTrue(self.value("window.ran === undefined"))  # the policy lets nothing run
        self.assertGreaterEqual(after, before + 3)
        self.value("document.getElementById('planted').remove(); "
                   "document.getElementById('planted2').remove(); 1")
        self.browser.events.clear()

    def test_the_table_sorts_by_click_and_by_key(self):
        before = self.value(RATIOS)
        self.assertGreater(len(before), 3)
        self.assertNotEqual(before, sorted(before))
        self.value(BUTTON + ".click(); 1")
        self.assertEqual(self.value(RATIOS), sorted(before))
        self.value("document.querySelector('#all details').open = true; 1")
        self.value(BUTTON + ".focus(); 1")
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter",
                              text="\r" if kind == "keyDown" else "", windowsVirtualKeyCode=13)
        self.assertEqual(self.value(RATIOS), sorted(before, reverse=True))
        self.assertEqual(self.value(BUTTON + ".parentNode.getAttribute('aria-sort')"),
                         "descending")
        self.value(BUTTON + ".click(); 1")
        self.assertEqual(self.value(RATIOS), before)  # a third time: as it was

    def test_damage_sorts_by_its_size(self):
        """By ticks, not by letters: years come behind seconds, and what is not known last."""
        self.value("document.querySelector('#clocks').scrollIntoView(); 1")
        self.shoot("clocks")
        column = """(name => Array.from(document.querySelector('#clocks thead tr').cells)
            .findIndex(h => h.textContent === name))"""
        cells = """(at => Array.from(document.querySelector('#clocks tbody').rows).map(
            r => r.cells[at].dataset.v))"""
        for name in ("back by half", "older in an interrupt", "ahead by 2^59 + 1",
                     "clock reads, traced"):
            at = self.value(f"{column}({name!r})")
            self.assertGreater(at, 1, name)
            before = self.value(f"document.querySelector('#clocks tbody').rows[0].cells[{at}].dataset.v = '', {cells}({at})")
            self.assertGreater(len(set(before)), 1 + ("" in before), name)
            button = f"document.querySelector('#clocks thead tr').cells[{at}].firstChild"
            self.value(f"{button}.click(); 1")
            self.assertEqual(self.value(f"{cells}({at})"),
                             sorted(before, key=lambda one: (one == "", float(one or 0))), name)
            self.value(f"{button}.click(); {button}.click(); 1")

    def test_every_plot_is_to_be_seen(self):
        figures = self.value("""Array.from(document.querySelectorAll('figure')).map(f => {
            const i = f.querySelector('img'), r = i.getBoundingClientRect();
            return [i.alt, i.complete, i.naturalWidth, i.naturalHeight, r.width, r.height]; })""")
        if "STAMPEDE_PAGE" not in os.environ:
            self.assertEqual([one[0] for one in figures], [plot.title for plot in PLOTS])
        for alt, complete, *sizes in figures:
            self.assertTrue(alt and complete, alt)
            self.assertTrue(sizes[0] > 500 and sizes[1] > 200 and sizes[2] > 500 and
                            sizes[3] > 200, f"{alt}: {sizes}")

    def test_data_is_a_click_away(self):
        good = self.value("""Array.from(document.querySelectorAll('figure details')).map(d => {
            d.querySelector('summary').click(); const p = d.querySelector('pre'),
            good = d.open && p.getBoundingClientRect().height > 20 &&
            p.textContent.split('\\n').length > 2; d.open = false; return good; })""")
        self.assertGreaterEqual(len(good), 4)
        self.assertTrue(all(good))

    def test_light_and_dark_can_be_read(self):
        paper = {}
        for scheme in ("light", "dark"):
            self.media(scheme=scheme)
            paper[scheme] = self.value("getComputedStyle(document.body).backgroundColor")
            self.assertGreater(self.value(CONTRAST), 7)
            self.shoot(scheme)
        self.media()
        self.assertNotEqual(paper["light"], paper["dark"])

    def test_plots_are_light_and_dark_too(self):
        """Their paper is the page's, and their letters stand out from it."""
        for scheme in ("light", "dark"):
            self.media(scheme=scheme)
            paper = self.value("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
            for alt, corner, least, most, ink in self.value(SHADES):
                self.assertLess(abs(corner - int(paper[0])), 6, f"{scheme}: {alt}")
                self.assertGreater(most - least, 150, f"{scheme}: {alt}")
                self.assertGreater(ink, 2000, f"{scheme}: {alt}")
        self.media()

    def test_a_phone_can_show_it(self):
        """Nothing is cut off and nothing scrolls sideways but boxes that are made for it."""
        self.screen(390, 844)
        self.shoot("phone")
        self.assertLessEqual(self.value("document.documentElement.scrollWidth"), 390)
        self.assertTrue(self.value("""Array.from(document.querySelectorAll('.wide, .plot')).every(
            e => getComputedStyle(e).overflowX === 'auto' && e.tabIndex === 0)"""))
        self.assertTrue(self.value("Array.from(document.images).every(e => e.naturalWidth > 0)"))
        self.assertEqual(self.value("""Array.from(document.querySelectorAll('table, img'))
            .filter(e => !e.closest('.wide, .plot, .schemes')).length"""), 0)

    def test_a_desk_shows_every_column(self):
        """The table has sixteen columns, and on a desk's screen none is out of sight."""
        self.screen(1280, 900)
        self.assertTrue(self.value("""(e => e.scrollWidth <= e.clientWidth)(
            document.querySelector('table.results').parentNode)"""))
        # No title is wider than its column.
        self.assertTrue(self.value("""Array.from(document.querySelectorAll(
            'table.results thead th')).every(e => e.scrollWidth <= e.clientWidth)"""))

    def test_paper_holds_the_table(self):
        """On paper nothing can be scrolled to: the table must fit an A4 page less its margins."""
        self.screen(718, 1000)
        self.media("print")
        self.shoot("print")
        self.assertLessEqual(
            self.value("document.querySelector('table.results').offsetWidth"), 718)
        self.assertLessEqual(self.value("""Math.max(...Array.from(document.querySelectorAll(
            'figure img')).map(i => i.getBoundingClientRect().right))"""), 718)
        self.media()

    def test_z_still_quiet_at_the_end(self):
        self.assertEqual(self.complaints(), [])


if __name__ == "__main__":
    plots_fixture.main()
