# SPDX-License-Identifier: MIT
"""usage: test_merge.py BUILD   merge.py by itself, on parts made by hand: what is added, what is the
worst, which schedule is shown, and how many missing parts are named. TAP."""
import copy
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../explore/parts"))
import merge  # pylint: disable=wrong-import-position


def family(verdict="kept", first=None, until="-", **more):
    return {**dict.fromkeys(merge.SUMS, 1), "searches": 1, "budget": "page", "verdict": verdict,
            "first": first, "objections": {}, **more,
            "damage": {"schedules": 1, "wrong": 1, "worst": 1, "until": until}}


def merged(*parts, of=None):
    """parts: (status, family); the record that these are merged to."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{number}.json") for number in range(len(parts))]
        for number, (path, (status, one)) in enumerate(zip(paths, parts)):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"program": "0", "arguments": ["--part", f"{number}/{of or len(parts)}"],
                           "status": status, "rows": [{"row": "a", "objects": {}, "families": [one]}]},
                          file)
        return merge.merge(paths)


class Merge(unittest.TestCase):
    def test_the_worst_status(self):
        for parts, status in (((0, 0), 0), ((4, 0), 4), ((0, 4), 4), ((2, 4), 2), ((4, 2), 2),
                              ((0, 2), 2), ((3, 4), 4)):
            its = merged(*((one, family()) for one in parts))
            self.assertEqual(its["status"], status, parts)

    def test_sums(self):
        one = family(objections={"exact": 2}, until="whole stamp")
        two = family(objections={"exact": 3, "window": 5})
        two["damage"].update(wrong=7, worst=0)
        its = merged((2, copy.deepcopy(one)), (2, two), (2, family()))["rows"][0]["families"][0]
        self.assertEqual(its["objections"], {"exact": 5, "window": 5})
        self.assertEqual([its[key] for key in merge.SUMS], [3] * len(merge.SUMS))
        self.assertEqual(its["damage"], {"schedules": 3, "wrong": 7, "worst": 1,
                                         "until": "whole stamp"})

    def test_the_schedule_that_is_shown(self):
        broken, longer = family("broken", "0/1"), family("broken", "0/1/2")
        unmet = family("need not met", "0")
        for parts, shown in (((family(), broken), "0/1"), ((broken, family()), "0/1"),
                             ((broken, longer), "0/1"), ((longer, broken), "0/1"),
                             ((unmet, longer), "0/1/2"), ((longer, unmet), "0/1/2"),
                             ((broken, family("broken", "9/9")), "0/1")):
            its = merged(*((2, copy.deepcopy(one)) for one in parts))["rows"][0]["families"][0]
            self.assertEqual(its["first"], shown)

    def test_missing_parts_are_named_in_400_characters(self):
        with self.assertRaises(merge.Refused) as refused:
            merged((0, family()), of=1000)
        text, missing = str(refused.exception), " ".join(map(str, range(1, 1000)))
        self.assertEqual(text, f"999 of 1000 parts are missing: {missing[:400]}")


if __name__ == "__main__":
    good = unittest.TextTestRunner().run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Merge)).wasSuccessful()
    print("ok" if good else "not ok", "1 - parts made by hand are merged\n1..1")
    sys.exit(not good)
