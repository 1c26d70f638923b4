# SPDX-License-Identifier: MIT
"""The picture of a schedule: from a row that is explored, and with a wrong time planted in it."""
import json
import os
import subprocess
import xml.etree.ElementTree as ET

import plots_fixture
from plots_fixture import BUILD, PlotsTest, MADE_UP

import schedule

SVG = "{http://www.w3.org/2000/svg}"
PLAYED = MADE_UP["played"]


def seen(picture):
    """Texts and looks of a picture, which has to be XML."""
    root = ET.fromstring(picture)
    return root, [one.text for one in root.iter(SVG + "text")], [one.get("class") for one in root.iter()]


class Schedule(PlotsTest):
    def test_pictures_are_as_recorded(self):
        """One as made up, with a wrong time, with an event lost; and schedules that explore has played."""
        wrong = json.loads(json.dumps(PLAYED))
        wrong["records"][1].update(decoded=9, header="28000000")
        wrong.update(verdict="broken", objection="decoded is not the stamp taken")
        lost = json.loads(json.dumps(wrong))
        lost["records"][0].update(event=None, stamp=None)
        lost["records"][1]["inexact"] = True
        self.addCleanup(setattr, schedule, "of_header", schedule.of_header)
        schedule.of_header = "{1} of {0}".format
        drawn = [schedule.svg(its).replace(schedule.STYLE, "").replace("><", ">\n<")
                 for its in (PLAYED, wrong, lost, *MADE_UP["pictured"])]
        seen("".join(["<all>", *drawn, "</all>"]))
        self.assertNotIn("var(", schedule.STYLE)
        self.assert_recorded("".join(drawn), "pictures")

    def test_refusals(self):
        for words in (["x.json"], ["x.json", "x.png"]):
            self.assertIn("FILE.svg", self.plots("--schedule", *words)[1])
        self.put("not.json", "{}")
        self.assertIn("not what explore", self.plots("--schedule", self.path("not.json"), self.path("x.svg"))[1])
        self.assertFalse(self.exists("x.svg"))

    def times(self, said, *words):
        """The texts of a picture of times, and the pixels of its times, the wrong one's last."""
        self.assertEqual(self.plots("--times", *words, self.path("x.svg"))[0], 0)
        root, texts, _ = seen(self.text("x.svg"))
        self.assertIn(said, texts)
        marks = [(one.get("class") == "bad", float(one.get("d")[1:].split()[0])) for one in root.iter(SVG + "path")
                 if one.get("d").endswith("l-6 6l6 6l6 -6z")]
        return texts, [x for _, x in sorted(marks, key=lambda mark: mark[0])]

    def test_a_wrong_time_among_its_neighbours(self):
        finding = {"kind": "back", "file": "cpu 0", "event": 7, "message": "back by 9 ns", "time": 100291,
                   "before": 100300, "after": 100310}
        self.put("found.json", json.dumps([{"findings": [{"kind": "form", "file": "x"}]}, {"findings": [finding]}]))
        texts, marks = self.times("back by 9 ns", self.path("found.json"), "1")
        self.assertTrue({"300", "291 (-9)", "310 (+19)", "event 7", "Times are above 100,000."} <= set(texts), texts)
        self.assertEqual([len(marks), sorted(marks)], [3, [marks[2], marks[0], marks[1]]])
        self.assertIn("and no number 2", self.plots("--times", self.path("found.json"), "2", self.path("y.svg"))[1])
        os.mkdir(self.path("kept"))
        self.put("kept/truth", "".join(f"event 3 {n} {n * 100} {n * 100 + 10}\n" for n in range(9)) + "event 4 0 0 0\n")
        for seq, time, said in ((5, 470, "Event 5 is 30 too early."), (5, 560, "Event 5 is 50 too late."),
                                (0, 104, "Event 0 is 94 too late."), (4, 8, "Event 4 is 392 too early.")):
            self.put("kept/decoded", "".join(f"event 3 {n} {time if n == seq else n * 100 + 5}\n" for n in range(9)) + "event 4 0 7\n")
            texts, marks = self.times(said, self.path("kept"))
            self.assertEqual(len(marks), 7 if 2 < seq < 6 else 4)
        self.put("kept/decoded", "event 4 0 7\nevent 4 1 5\n")
        self.times("Event 1 is 2 before the event that was read before it.", self.path("kept"))
        self.put("kept/decoded", "event 3 1 105\n")
        self.assertIn("each time is within its call", self.plots("--times", self.path("kept"), self.path("y.svg"))[1])

    def explore(self, name, *words):
        if not os.path.exists(os.path.join(BUILD, "explored", "heartbeat.wrap4.so")):
            self.skipTest("no objects in build/explored: make explored-quick")
        subprocess.run([os.path.join(BUILD, "explore"), "--draw", self.path(name), *words], check=False,
                       capture_output=True)
        return self.text(name)

    def test_rows_are_drawn(self):
        late = self.explore("late.svg", *"--schemes =heartbeat --shape wrap4 --before 1 --nested 0 --jumps 1 --beats 1 "
                            "--replay j1:20.b1".split())
        _, texts, looks = seen(late)
        self.assertEqual(looks.count("badbox"), 3)  # the late beat, and all after it
        self.assertIn("20 ticks pass", texts)
        self.assertIn("E1 decodes as 7, its true time is 23: 16 early.", texts)
        self.assertTrue(any("silently loses whole" in text for text in texts))
        whole = self.explore("whole.svg", *"--schemes =three_read --shape wrap4 --nested 0 --jumps 1 --before 1 --replay j3:20".split())
        self.assertIn("stamp, then 7", seen(whole)[1])  # a field of 4 bits alone does not read as 23 after 0
        nested = self.explore("nested.html", *"--schemes =zero_delta --nested 1 --before 1".split())
        self.assertEqual(nested.count('"partbox"'), 2)
        self.assertIn("viewport", nested)
        kept = self.explore("kept.svg", *"--schemes =packed_word --nested 1 --before 1".split())
        _, texts, looks = seen(kept)
        self.assertIn("\u2713 kept", texts)
        self.assertIn("interrupt", texts)  # the schedule that went furthest, and not the first


if __name__ == "__main__":
    plots_fixture.main()
