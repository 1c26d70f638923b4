# SPDX-License-Identifier: MIT
"""Traces with one wrong time, for test_lint.py: the bytes of five formats, written by Python alone.

plant(format, kind, seed, folder) writes a trace and returns its path, and a pattern that one of the
findings of that kind must have; the kind "" is a clean trace. report() prints a line of TAP.
"""
import json
import os
import random
import struct

FAULTS = {
    "ctf": ("back", "late", "early", "reversed", "overlap", "missed", "false", "discarded", "sequence",
            "missing", "clock", "zero", "negative", "unit", "unit_all"),
    "ftrace": ("back", "missed", "false", "count", "unflagged", "clock", "zero", "unit_all"),
    "chrome": ("back", "parent_end", "parent_child", "parent_begin", "duration", "async", "flow", "overlap",
               "outlives", "mixed", "clock", "zero", "negative", "unit", "unit_all"),
    "perf": ("back", "round", "lost", "clock", "zero", "negative", "unit", "unit_all"),
    "xray": ("back", "counter", "missed", "overlap", "clock", "zero", "negative", "unit", "unit_all"),
}
# Faults that are of the same kind to the linter.
KINDS = {
    "late": "packet", "early": "packet", "reversed": "packet", "missed": "wrap", "false": "wrap",
    "discarded": "loss", "sequence": "loss", "missing": "loss", "count": "loss", "unflagged": "loss",
    "lost": "loss", "negative": "zero", "unit_all": "unit", "round": "clock", "counter": "back",
    "parent_end": "parent", "parent_child": "parent", "parent_begin": "parent", "duration": "parent",
    "async": "parent", "flow": "parent", "mixed": "overlap", "outlives": "parent",
}

reported = 0


def report(good, name, said=""):
    global reported
    reported += 1
    print(("ok" if good else "not ok") + " - " + name, flush=True)
    for line in said.split("\n") if not good else ():
        print("# " + line[:400])


def plant(form, fault, seed, folder):
    rng = random.Random(f"{form} {fault} {seed}")
    return {"ctf": ctf, "ftrace": ftrace, "chrome": chrome, "perf": perf, "xray": xray}[form](rng, fault, folder)


def uptime(rng):
    return rng.randrange(10**12, 10**14)


def apart(rng, fault, times):
    """All times of a stream whose clock is another, or of another unit."""
    if fault == "clock":
        off = rng.randrange(3600 * 10**9, 10**15)
        return [time + off for time in times]
    if fault == "unit_all":
        return [time // 1000 for time in times] if rng.random() < 0.5 else [time * 1000 for time in times]
    return times


def scaled(rng, time):
    return time * 1000 if rng.random() < 0.5 else time // 1000


# ---- CTF 1.8: streams of packets ----

METADATA = """/* CTF 1.8 */
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{ major = 1; minor = 8; byte_order = le;
  packet.header := struct {{ uint32_t magic; uint32_t stream_id; }}; }};
clock {{ name = "mono"; freq = 1000000000; offset = 1700000000000000000; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.mono.value; }} := whole_t;
typealias integer {{ {of[0]} align = 1; signed = false; {of[1]} }} := low_t;
stream {{ id = 0;
  event.header := struct {{ integer {{ size = {id_bits}; align = 1; signed = false; }} id;
    low_t timestamp; }} align(8);
  packet.context := struct {{ whole_t timestamp_begin; whole_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t events_discarded; uint64_t packet_seq_num; uint32_t cpu_id; }}; }};
event {{ id = 0; name = "one"; stream_id = 0; fields := struct {{ uint32_t n; }}; }};
"""


def ctf(rng, fault, folder):
    bits = rng.choice((27, 32, 64))
    if fault in ("missed", "false"):
        bits = rng.choice((27, 32))
    elif fault in ("back", "early", "zero", "negative", "unit"):
        bits = 64
    streams, now = [], uptime(rng)
    for cpu in range(3):
        time, packets = now + rng.randrange(10**6), []
        for seq in range(6):
            begin, times = time, []
            for _ in range(rng.randrange(20, 60)):
                time += rng.randrange(1, 2000)
                times.append(time)
            time += rng.randrange(100)
            packets.append({"begin": begin, "end": time, "times": times, "seq": seq, "lost": seq // 2 * 7})
            time += rng.choice((0, 50, 3000, 10**6 + 77))
        streams.append(packets)
    packets = rng.choice(streams)
    at = rng.randrange(1, 5)
    packet, after = packets[at], packets[at + 1]
    place = sum(len(one["times"]) for one in packets[:at])
    last = place + len(packet["times"]) - 1
    times = packet["times"]
    i = rng.randrange(10, len(times) - 3)
    by = rng.randrange(1, times[i - 1] - packet["begin"])
    need = {}
    if fault == "back":
        times[i] = times[i - 1] - by
        need = rf"event {place + i}: back: time goes back by {by} ns; time {times[i]}, before it {times[i - 1]}, " \
            rf"after it {times[i + 1]}$"
    elif fault == "late":
        by = rng.randrange(1, times[-1] - packet["begin"])
        packet["end"] = times[-1] - by
        need = rf"event {last}: packet: lies behind the end of its packet, by {by} ns; time {times[-1]}, before it {times[-2]}"
    elif fault == "early":
        packet["begin"] = times[0] + by
        times[:] = times[:1] + [time for time in times[1:] if time >= packet["begin"]]
        need = rf"event {place}: packet: begins before its packet, by {by} ns; time {times[0]}"
    elif fault == "reversed":
        packet["end"] = packet["begin"] - by
        need = rf"packet: packet ends before it begins, by {by} ns"
    elif fault == "overlap":
        packet["end"] = after["begin"] + by
        need = rf"event {last + 1}: overlap: packet begins before its predecessor ends, by {by} ns; " \
            rf"time {after['begin']}, before it {packet['end']}"
    elif fault == "missed":  # a gap of whole ranges and a little
        ranges = rng.randrange(1, 9)
        move(packets, at, i, ranges << bits)
        need = rf"event {last}: wrap: end of packet jumps ahead by \d+ ns, about {ranges} \* 2\^{bits}; "
    elif fault == "false":  # an event behind its successor
        times[i] = times[i - 1] - rng.randrange(1, min(times[i - 1] - packet["begin"], 4000))
        need = rf"event {place + i}: wrap: lies behind the end of its packet, by \d+ ns; .* before it {times[i - 1]}, "
    elif fault == "discarded":
        packet["lost"] += by
        need = rf"event {last + 1}: loss: events_discarded goes back by: -{packet['lost'] - after['lost']}; time {packet['end']}, after it {after['times'][0]}$"
    elif fault == "sequence":
        after["seq"] = 0
        need = rf"event {last + 1}: loss: packet_seq_num goes back by: -{at + 1}; time {packet['end']}, after it {after['times'][0]}$"
    elif fault == "missing":
        for one in packets[at + 1:]:
            one["seq"] += by
            one["lost"] = packet["lost"]
        need = rf"event {last + 1}: loss: packets are missing by packet_seq_num, .*: {by}; "
    elif fault in ("clock", "unit_all"):
        for one in packets:
            moved = apart(random.Random(str(by)), fault, [one["begin"], one["end"], *one["times"]])
            one["begin"], one["end"], one["times"] = moved[0], moved[1], moved[2:]
        need = rf"{KINDS.get(fault, fault)}: all its times are (after|before) those of the other streams, " \
            rf"by \d+ ns.*; time {packets[0]['begin']}"
    elif fault in ("zero", "negative", "unit"):
        times[i] = {"zero": 0, "negative": 2**64 - by, "unit": scaled(rng, times[i])}[fault]
        said = times[i] if fault != "negative" else -by
        need = rf"event {place + i}: {KINDS.get(fault, fault)}: .*; time {said}, before it {times[i - 1]}, " \
            rf"after it {times[i + 1]}$"
    write_ctf(folder, bits, streams)
    return folder, need


def move(packets, at, first, by):
    """What comes after an event is later."""
    packet = packets[at]
    packet["times"][first:] = [time + by for time in packet["times"][first:]]
    packet["end"] += by
    for one in packets[at + 1:]:
        one["begin"], one["end"] = one["begin"] + by, one["end"] + by
        one["times"] = [time + by for time in one["times"]]


def write_ctf(folder, bits, streams):
    id_bits = 5 if bits == 27 else 8
    text = METADATA.format(of=sorted((f"size = {bits};", "map = clock.mono.value;"), reverse=bits != 27), id_bits=id_bits).encode()
    with open(os.path.join(folder, "metadata"), "wb") as file:  # of a narrow clock in packets, as LTTng writes it
        file.write(text if bits == 64 else b"".join(struct.pack("<I16sIII5s", 0x75D11D57, b"", 0, 296 + len(part) * 8, 65536, b"\0\0\0\1\x08") +
                                                    part.ljust(8155, b"\0") for part in (text[:999], text[999:])))
    for cpu, packets in enumerate(streams):
        with open(os.path.join(folder, f"ch_{cpu}"), "wb") as file:
            for one in packets:
                body = b"".join(event_of(bits, id_bits, time) for time in one["times"])
                size = (60 + len(body)) * 8
                file.write(struct.pack("<IIQQQQQQI", 0xC1FC1FC1, 0, one["begin"], one["end"], size, size,
                                       one["lost"], one["seq"], cpu) + body)


def event_of(bits, id_bits, time):
    low = time & ((1 << bits) - 1)
    return (low << id_bits).to_bytes((bits + id_bits + 7) // 8, "little") + struct.pack("<I", low & 0xffff)


# ---- raw sub-buffers of ftrace ----

def ftrace(rng, fault, folder):
    cpus, now = [], uptime(rng)
    for _ in range(3):
        time, subbufs = now + rng.randrange(10**6), []
        for _ in range(6):
            times = [time]
            while len(times) < 150:
                time += rng.randrange(0, 3000) if rng.random() < 0.98 else rng.randrange(2**27 + 50000, 2**28 - 50000)
                times.append(time)
            subbufs.append({"times": times, "skip": {}, "flags": 0, "tail": b""})
            time += rng.randrange(0, 3000)
        cpus.append(subbufs)
    cpu = rng.randrange(3)
    subbufs = cpus[cpu]
    at = rng.randrange(1, 5)
    one, after = subbufs[at], subbufs[at + 1]
    offset, by = (at + 1) * 4096, rng.randrange(1, 100000)
    near = [i for i in range(5, 149) if one["times"][i] - one["times"][i - 1] < 3000]
    i = rng.choice(near)
    need = ""
    if fault == "back":
        begin = one["times"][-1] - by
        after["times"] = [time - after["times"][0] + begin for time in after["times"]]
        need = rf"cpu{cpu}.raw: offset {offset}: back: begin of packet goes back by {by} ns; " \
            rf"time {begin}, before it {one['times'][-1]}"
    elif fault in ("missed", "false"):  # time ahead of, or behind, what the deltas say
        ranges = rng.randrange(1, 9)
        one["skip"] = {i: (-ranges if fault == "missed" else ranges) << 27}
        if fault == "missed":
            one["times"][i:] = [time + (ranges << 27) for time in one["times"][i:]]
            for other in subbufs[at + 1:]:
                other["times"] = [time + (ranges << 27) for time in other["times"]]
        need = rf"offset {offset}: wrap: begin of packet {'jumps ahead' if fault == 'missed' else 'goes back'} " \
            rf"by \d+ ns, about {ranges} \* 2\^27; time {after['times'][0]}"
    elif fault == "count":
        lost = rng.choice((0, 2**41 + by))
        after["flags"], after["tail"] = 3 << 30, struct.pack("<Q", lost)
        need = rf"offset {offset}: loss: lost events cannot be as many as: {lost}; "
    elif fault == "unflagged":
        after["flags"], after["tail"] = 1 << 30, struct.pack("<Q", by)
        need = rf"offset {offset}: loss: a count of lost events, though none are said to be lost: {by}; "
    elif fault in ("clock", "unit_all"):
        choice = str(by)
        for other in subbufs:
            other["times"] = apart(random.Random(choice), "clock" if fault == "clock" else "", other["times"])
        if fault == "unit_all":
            first = subbufs[0]["times"][0]
            for other in subbufs:
                other["times"] = [time - first + first * 1000 for time in other["times"]]
        need = rf"cpu{cpu}.raw: offset 0: {KINDS.get(fault, fault)}: all its times are after those"
    elif fault == "zero":
        after["times"] = [time - after["times"][0] for time in after["times"]]
        need = rf"offset {offset}: zero: packet begins at zero"
    for number, subbufs in enumerate(cpus):
        with open(os.path.join(folder, f"cpu{number}.raw"), "wb") as file:
            for one in subbufs:
                file.write(subbuf_of(one))
    return folder, need


def subbuf_of(one):
    data, before = b"", one["times"][0]
    for i, time in enumerate(one["times"]):
        delta = time - before + one["skip"].get(i, 0)
        if delta >> 27:
            data += struct.pack("<II", 30 | (delta & 0x7ffffff) << 5, delta >> 27)
            delta = 0
        data += struct.pack("<II", 1 | delta << 5, i)
        before = time
    head = struct.pack("<QQ", one["times"][0], len(data) | one["flags"])
    return (head + data + one["tail"]).ljust(4096, b"\0")


# ---- Chrome's JSON: threads with nested calls ----

def chrome(rng, fault, folder):
    fractions = rng.random() < 0.5
    step = (lambda: rng.randrange(2000, 60000) / 1000) if fractions else (lambda: rng.randrange(3, 60))
    base = uptime(rng) // 1000
    threads = [calls(rng, tid, base + rng.randrange(1000), step) for tid in (11, 12, 13)]
    events = threads[rng.randrange(3)]
    chosen = [i for i, one in enumerate(events) if suits(fault, one) and 20 < i < len(events) - 20]
    i = rng.choice(chosen)
    one = events[i]
    by = rng.randrange(3, 1000)
    off = rng.randrange(3600 * 10**6, 10**12)
    pair = one.get("at")  # of an end: what it ends
    need = rf"event INDEX: {KINDS.get(fault, fault)}: "
    if fault == "back":  # before what was last, after its parent's begin
        before = max((other for other in events[:i] if other["ph"] in "BE"), key=lambda other: other["ts"])
        one["ts"] = before["ts"] - 1
        need += "time goes back by 1000 ns; "
    elif fault == "parent_end":
        one["ts"] = events[pair]["ts"] - by
        need += rf"ends before it begins, by {by}000 ns; "
    elif fault == "parent_child":
        child = max(other["ts"] for other in events[pair + 1:i] if other["ph"] == "E")
        one["ts"] = child - 1
        need += "ends before its child, by 1000 ns; "
    elif fault == "parent_begin":
        one["ts"] = events[pair]["ts"] - by
        need += rf"begins before its parent, by {by}000 ns; "
    elif fault == "duration":
        one["dur"] = -by
        need += rf"ends before it begins, by {by}000 ns; "
    elif fault in ("async", "flow"):
        one["ts"] = events[pair]["ts"] - by
        need += rf"(an asynchronous span ends|a flow goes on) before it begins, by {by}000 ns; "
    elif fault == "overlap":
        inside = events[pair]["ts"] + events[pair]["dur"] - one["ts"]
        one["dur"] = round(2 * inside + by, 3)
        need += rf"span begins \d+ ns before the end of one that it is not part of, and ends {round((inside + by) * 1000)} ns after it; "
    elif fault == "outlives":
        by = min(by, int(one["dur"]) - 1)
        inside = events[pair]["ts"] + events[pair]["dur"] - one["ts"]
        one["dur"] = round(inside + by, 3)
        need += rf"span ends {by}000 ns after the one that it begins in; "
    elif fault == "mixed":
        one["dur"] = 10**5
        need = r"overlap: span begins \d+ ns before the end of one that it is not part of, and ends \d+ ns after it; "
    elif fault in ("clock", "unit_all"):
        for other in events:
            other["ts"] += off if fault == "clock" else base * 999
        need = rf"{KINDS.get(fault, fault)}: all its times are after those of the other streams"
    elif fault in ("zero", "negative"):
        one["ts"] = 0 if fault == "zero" else -by
        need += fault
    elif fault == "unit":
        one["ts"] = scaled(rng, int(one["ts"]))
        need += "about "
    return write_chrome(rng, folder, threads, one, need)


def suits(fault, one):
    ph, at = one["ph"], one.get("at")
    return {
        "back": ph == "B" and one["sibling"], "parent_end": ph == "E" and not one["outer"],
        "parent_child": ph == "E" and one["outer"], "parent_begin": ph == "B" and at is not None and not one["sibling"],
        "duration": ph == "X", "async": ph == "e", "flow": ph in "tf", "overlap": ph == "X" and at is not None, "outlives": ph == "X" and at is not None,
        "mixed": ph == "X" and one.get("in_call"), "unit": ph == "i", "zero": ph in "iX", "negative": ph in "iX",
    }.get(fault, True)


def calls(rng, tid, now, step):
    """Pairs of B and E with pairs, complete events and instants in them; `at`: the partner or parent."""
    events = []

    def put(ph, **more):
        nonlocal now
        events.append({"ph": ph, "ts": now, "pid": 7, "tid": tid, "name": f"n{len(events)}", **more})
        now = round(now + step(), 3)
        return len(events) - 1

    for number in range(25):
        outer = put("B", sibling=number > 0)
        inner = put("B", at=outer, sibling=False)
        put("i", s="t")
        put("E", at=inner, outer=False)
        inner = put("B", at=outer, sibling=True)
        put("E", at=inner, outer=False)
        parent = put("X", dur=0, in_call=True)
        child = put("X", dur=0, at=parent)
        begin = {"b": f"a{tid}{number}", "s": f"f{tid}{number}"}
        first = {ph: put(ph, id=id_, cat="c", name="match") for ph, id_ in begin.items()}
        events[child]["dur"] = round(now - events[child]["ts"], 3)
        put("e", id=begin["b"], cat="c", name="match", at=first["b"])
        put(rng.choice("tf"), id=begin["s"], cat="c", name="match", at=first["s"])
        events[parent]["dur"] = round(now - events[parent]["ts"], 3)
        now = round(now + step(), 3)
        put("E", at=outer, outer=True)
    return events


def write_chrome(rng, folder, threads, chosen, need):
    """Threads take turns in the file, each in its order."""
    events, queues = [{"ph": "M", "ts": 0, "pid": 7, "tid": 1, "name": "process_name"}], [list(one) for one in threads]
    while any(queues):
        queue = rng.choice([one for one in queues if one])
        one = queue.pop(0)
        if one is chosen:
            need = need.replace("INDEX", str(len(events)))
        events.append({name: value for name, value in one.items()
                       if name not in ("at", "sibling", "outer", "in_call")})
    path = os.path.join(folder, "trace.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events} if rng.random() < 0.5 else events, file)
    return path, need


# ---- perf.data: rounds, in each the rings of all CPUs ----

IP, TID, TIME, ID, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 64, 128, 256, 1 << 16


def perf(rng, fault, folder):
    kinds = [IP | TID | TIME | CPU | PERIOD] if rng.random() < 0.5 else \
        [IDENTIFIER | IP | TID | TIME | CPU, IDENTIFIER | TID | TIME | CPU | ID]
    now, records = uptime(rng), []
    for number in range(12):
        begin = now + number * 10**7
        for cpu in range(3):
            time = begin + rng.randrange(10**5)
            for _ in range(rng.randrange(20, 40)):
                time += rng.randrange(0, 200000)
                records.append({"cpu": cpu, "time": time, "round": number,
                                "type": 9 if rng.random() < 0.9 else rng.choice((3, 2)), "lost": 5})
        records.append({"type": 68})
    samples = [i for i, one in enumerate(records)
               if one["type"] == 9 and 4 < one["round"] < 11 and records[i - 1].get("cpu") == one["cpu"] ==
               records[i + 1].get("cpu")]
    i = rng.choice(samples)
    one, by = records[i], rng.randrange(1000001, 5000000)
    before, after = records[i - 1]["time"], records[i + 1]["time"]
    need = rf"cpu {one['cpu']}: offset OFFSET: {KINDS.get(fault, fault)}: "
    if fault == "back":
        one["time"] = before - by
        need += rf"time goes back by {by} ns; time {before - by}, before it {before}, after it {after}"
    elif fault == "round":  # what comes is before the end of the round before the last
        floor = max(other["time"] for other in records if other.get("round", 99) <= one["round"] - 2)
        one["time"] = floor - (by - 1000000)
        need += rf"before what all streams had reached, by {by - 1000000} ns; time \d+, before it {before}, after it {after}$"
    elif fault == "lost":
        one["type"], one["lost"] = 2, rng.choice((0, 2**41 + by))
        need = rf"offset OFFSET: loss: lost events cannot be as many as: {one['lost']}; "
    elif fault in ("clock", "unit_all"):
        own = [other for other in records if other.get("cpu") == one["cpu"]]
        for other, time in zip(own, apart(rng, fault, [other["time"] for other in own])):
            other["time"] = time
        need = rf"cpu {one['cpu']}: offset 0: {KINDS.get(fault, fault)}: all its times are (after|before) those"
    elif fault in ("zero", "negative", "unit"):
        one["time"] = {"zero": 0, "negative": 2**64 - by, "unit": scaled(rng, one["time"])}[fault]
        need += rf".*; time \d+, before it {before}, after it {after}$" if fault != "negative" else \
            rf"negative; time -{by}, before it {before}"
    return write_perf(rng, folder, kinds, records, one, need)


def write_perf(rng, folder, kinds, records, chosen, need):
    ids, attrs, data = [1000 + n for n in range(len(kinds))], b"", b""
    ids_at = 104
    attrs_at = ids_at + 8 * len(kinds)
    for n, kind in enumerate(kinds):
        flags = 1 << 18
        attr = struct.pack("<IIQQQQQ", 1, 112, n, 1, kind, 0, flags).ljust(112, b"\0")
        attrs += attr + struct.pack("<QQ", ids_at + 8 * n, 8)
    data_at = attrs_at + len(attrs)
    for one in [{"type": 3, "cpu": 0, "time": 0}] + records:  # the first: perf's own, without a time
        if one is chosen:
            need = need.replace("OFFSET", str(data_at + len(data)))
        n = rng.randrange(len(kinds))
        data += record_of(one, kinds[n], ids[n])
    path = os.path.join(folder, "perf.data")
    with open(path, "wb") as file:
        file.write(struct.pack("<8sQQQQQQQQ4Q", b"PERFILE2", 104, 128, attrs_at, len(attrs), data_at, len(data),
                               0, 0, 0, 0, 0, 0) + b"".join(struct.pack("<Q", id_) for id_ in ids) + attrs + data)
    return path, need


def record_of(one, kind, id_):
    values = {IDENTIFIER: id_, IP: 0x400000, TID: 7 | 8 << 32, TIME: one.get("time"), ID: id_, CPU: one.get("cpu"),
              PERIOD: 1}

    def fields(*names):
        return b"".join(struct.pack("<Q", values[name]) for name in names if kind & name)

    if one["type"] == 68:
        body = b""
    elif one["type"] == 9:
        body = fields(IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD)
    else:
        head = struct.pack("<QQ", id_, one["lost"]) if one["type"] == 2 else struct.pack("<II8s", 7, 8, b"sh")
        body = head + fields(TID, TIME, ID, CPU, IDENTIFIER)
    return struct.pack("<IHH", one["type"], 0, 8 + len(body)) + body


# ---- XRay's flight data recorder: buffers of threads, in any order ----

def xray(rng, fault, folder):
    version = rng.choice((3, 4, 5))
    if fault in ("back", "zero", "negative", "unit"):
        version = rng.choice((3, 4))
    now, threads = uptime(rng), []
    for thread in range(3):
        time, buffers = now + rng.randrange(10**6), []
        for _ in range(4):
            records = [("cpu", time)]
            for n in range(80):
                time += rng.randrange(0, 5000) if rng.random() < 0.95 else rng.randrange(2**20, 2**31)
                records.append(("custom" if n % 8 == 5 else "function", time))
                if n % 20 == 11:
                    records.append(("cpu" if n < 40 else "wrap", time))
            buffers.append({"thread": 100 + thread, "records": records})
            time += rng.randrange(0, 5000)
        threads.append(buffers)
    buffers = rng.choice(threads)
    at = rng.randrange(3)
    records = buffers[at]["records"]
    i = rng.choice([n for n, one in enumerate(records) if n > 12 and one[0] ==
                    ("cpu" if fault in ("counter", "missed") else "custom")])
    before, by = records[i - 1][1], rng.randrange(1, 10**9)
    need = rf"thread {buffers[0]['thread']}: offset OFFSET: {KINDS.get(fault, fault)}: "
    chosen = (at, i)
    if fault == "back":
        records[i] = ("custom", before - by)
        need += rf"time goes back by {by} ticks; time {before - by}, before it {before}"
    elif fault == "counter":
        records[i:] = [(kind, time - by) for kind, time in records[i:]]
        need += rf"counter goes back by {by} ticks; "
    elif fault == "missed":
        by = (rng.randrange(1, 9) << 32) + rng.randrange(200000)
        move_xray(buffers, at, i, by)
        need += rf"counter jumps ahead by {by} ticks, about {by >> 32} \* 2\^32; "
    elif fault == "overlap":
        first, last = buffers[at]["records"][1][1], buffers[at]["records"][-1][1]
        by = last - buffers[at + 1]["records"][1][1] + rng.randrange(1, last - first)
        buffers[at + 1]["records"] = [(kind, time - by) for kind, time in buffers[at + 1]["records"]]
        chosen = (at + 1, -1)
        need += r"packet begins \d+ ticks before the end of one that it is not part of; "
        need = need.replace("OFFSET", r"\d+")
    elif fault in ("clock", "unit_all"):
        choice = str(by)
        for one in buffers:
            one["records"] = [(kind, apart(random.Random(choice), "clock", [time])[0]) for kind, time in one["records"]]
        if fault == "unit_all":
            first = now * 1000 - buffers[0]["records"][0][1]
            for one in buffers:
                one["records"] = [(kind, time + first) for kind, time in one["records"]]
        need = rf"thread {buffers[0]['thread']}: offset 0: {KINDS.get(fault, fault)}: all its times are after those"
    elif fault in ("zero", "negative", "unit"):
        time = {"zero": 0, "negative": 2**64 - by, "unit": scaled(rng, records[i][1])}[fault]
        records[i] = ("custom", time)
        need += rf".*; time {-by if fault == 'negative' else time}, before it {before}, after it {records[i + 1][1]}$"
    return write_xray(rng, folder, version, threads, (buffers, *chosen), need)


def move_xray(buffers, at, first, by):
    buffers[at]["records"][first:] = [(kind, time + by) for kind, time in buffers[at]["records"][first:]]
    for one in buffers[at + 1:]:
        one["records"] = [(kind, time + by) for kind, time in one["records"]]


def write_xray(rng, folder, version, threads, chosen, need):
    out = struct.pack("<HHIQ16s", version, 1, 3, 2 * 10**9, b"")
    all_buffers = [(buffers, n) for buffers in threads for n in range(len(buffers))]
    rng.shuffle(all_buffers)
    for buffers, n in all_buffers:
        one = buffers[n]
        body = meta(0, struct.pack("<i", one["thread"])) + meta(4, struct.pack("<QI", 1700000000, 5)) + \
            meta(9, struct.pack("<i", 7))
        tsc = 0
        for i, (kind, time) in enumerate(one["records"]):
            if (buffers, n, i) == chosen and buffers is chosen[0]:
                need = need.replace("OFFSET", str(len(out) + 16 + len(body)))
            if kind == "cpu":
                body += meta(2, struct.pack("<HQ", 1, time))
            elif kind == "wrap":
                body += meta(3, struct.pack("<Q", time))
            elif kind == "function":
                body += struct.pack("<II", 5 << 4, time - tsc)
            elif version < 5:
                body += meta(5, struct.pack("<iQ", 3, time)) + b"abc"
            else:
                body += meta(5, struct.pack("<ii", 3, time - tsc)) + b"abc"
            if kind != "custom" or version >= 5:
                tsc = time
        out += meta(7, struct.pack("<Q", len(body))) + body
    path = os.path.join(folder, "xray-log.x.1")
    with open(path, "wb") as file:
        file.write(out)
    return path, need


def meta(kind, body):
    return bytes((kind << 1 | 1,)) + body.ljust(15, b"\0")
