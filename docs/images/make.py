#!/usr/bin/env python3
"""Writes the pictures of the pages, docs/images/*.svg. Needs no packages:

    python3 docs/images/make.py

Figures come from docs/benchmark/figures.csv and outage.csv, which mvn -q compile -Pbenchmark and -Poutage write.
"""
import csv
import math
import pathlib
import re

HERE = pathlib.Path(__file__).parent

STYLE = """
text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 14px; }
.head1 { font-weight: 600; font-size: 18px; }
.tiny { font-size: 11px; }
.limit { stroke: #1f2328; fill: none; stroke-width: 2; stroke-dasharray: 6 3; }
.small { font-size: 11px; fill: #59636e; }
.mono { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px; }
.inv { fill: #ffffff; }
.box { fill: #f6f8fa; stroke: #818b98; }
.group { fill: none; stroke: #818b98; stroke-dasharray: 4 3; }
.line { stroke: #59636e; fill: none; stroke-width: 1.4; }
.axis { stroke: #b0b8c1; fill: none; }
.a { fill: #0969da; } .as { stroke: #0969da; fill: none; stroke-width: 2; }
.b { fill: #bc4c00; } .bs { stroke: #bc4c00; fill: none; stroke-width: 2; }
.g { fill: #1a7f37; } .gs { stroke: #1a7f37; fill: none; stroke-width: 2; }
.soft { fill: #0969da; fill-opacity: .12; }
.warn { fill: #bc4c00; fill-opacity: .12; }
.rest { fill: #818b98; }
.head { fill: #59636e; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .small { fill: #9198a1; }
  .inv { fill: #0d1117; }
  .limit { stroke: #e6edf3; }
  .box { fill: #151b23; stroke: #656c76; }
  .group { stroke: #656c76; }
  .line { stroke: #9198a1; } .head { fill: #9198a1; }
  .axis { stroke: #656c76; }
  .a { fill: #4493f8; } .as { stroke: #4493f8; }
  .b { fill: #f0883e; } .bs { stroke: #f0883e; }
  .g { fill: #3fb950; } .gs { stroke: #3fb950; }
  .soft { fill: #4493f8; fill-opacity: .18; } .warn { fill: #f0883e; fill-opacity: .18; }
  .rest { fill: #656c76; }
}
"""


class Picture:
    def __init__(self, width, height, label):
        self.width, self.height, self.label, self.parts = width, height, label, []

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, cls="", anchor="start"):
        text = text.replace("&", "&amp;").replace("<", "&lt;")
        self.add(f'<text class="{cls}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>')

    def rect(self, x, y, w, h, cls="box", r=4):
        self.add(f'<rect class="{cls}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{r}"/>')

    def box(self, x, y, w, h, lines, cls="box", tcls=""):
        self.rect(x, y, w, h, cls)
        top = y + h / 2 + 4.5 - (len(lines) - 1) * 8
        for i, line in enumerate(lines):
            self.text(x + w / 2, top + i * 16, line, (tcls if i == 0 else "small " + tcls).strip(), "middle")

    def line(self, x1, y1, x2, y2, cls="line", arrow=False):
        end = ' marker-end="url(#arrow)"' if arrow else ""
        self.add(f'<line class="{cls}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"{end}/>')

    def path(self, points, cls):
        self.add(f'<polyline class="{cls}" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>')

    def dot(self, x, y, cls, r=4):
        self.add(f'<circle class="{cls}" cx="{x:g}" cy="{y:g}" r="{r}"/>')

    def write(self, name):
        body = "\n".join(self.parts)
        (HERE / name).write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{self.label}">\n<style>{STYLE}</style>\n'
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
            '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>\n'
            f"{body}\n</svg>\n")


def architecture():
    p = Picture(880, 300, "How a decision is made")
    for i, (y, name) in enumerate([(16, "instance 1"), (172, "instance n")]):
        p.rect(8, y, 620, 112, "group", 8)
        p.text(20, y + 18, name, "small")
        p.box(20, y + 34, 116, 56, ["your code", "annotation or call"])
        p.box(156, y + 34, 116, 56, ["prefetch", "hot keys, optional"])
        p.box(292, y + 34, 116, 56, ["rejection cache", "known: no call"])
        p.box(428, y + 34, 88, 56, ["breaker", "within 100 ms"])
        p.box(536, y + 34, 82, 56, ["batch", "shares calls"])
        for a, b in [(136, 156), (272, 292), (408, 428), (516, 536)]:
            p.line(a, y + 62, b, y + 62, arrow=True)
        p.text(472, y + 104, "else: failure policy", "small b", "middle")
    p.text(318, 156, "the same in every instance", "small", "middle")
    p.box(724, 84, 146, 132, ["Redis", "one script per call:", "load, step, save,", "with Redis's clock"], "soft")
    p.line(618, 78, 722, 128, arrow=True)
    p.line(618, 234, 722, 172, arrow=True)
    p.text(680, 72, "one round trip", "small", "middle")
    p.write("architecture.svg")


def token_bucket():
    # 2 permits a second, capacity 4; a burst, then more calls than the rate allows.
    p = Picture(880, 330, "A token bucket over time")
    left, top, bottom, per_second, per_permit = 60, 50, 250, 98, 50
    x = lambda t: left + t * per_second
    y = lambda n: bottom - n * per_permit
    p.text(left, 24, "A bucket with a capacity of 4 permits and a rate of 2 permits/s", "title")
    for n in range(5):
        p.line(left, y(n), x(8), y(n), "axis")
        p.text(left - 10, y(n) + 4, str(n), "small", "end")
    p.text(left - 10, top - 8, "stored permits", "small")
    for t in range(9):
        p.text(x(t), bottom + 18, f"{t} s", "small", "middle")
    calls = [0.5, 0.5, 0.5, 0.5, 0.95, 1.5, 1.6, 2.0, 2.2, 2.5, 6.0, 6.0, 6.0, 6.4, 7.0]
    stored, last, points, marks = 4.0, 0.0, [(x(0), y(4))], []
    for t in calls:
        full_at = last + (4 - stored) / 2
        if full_at < t:
            points.append((x(full_at), y(4)))
        stored = min(4.0, stored + (t - last) * 2)
        points.append((x(t), y(stored)))
        granted = stored >= 1 - 1e-9
        if granted:
            stored -= 1
            points.append((x(t), y(stored)))
        marks.append((t, granted))
        last = t
    full_at = last + (4 - stored) / 2
    points += [(x(min(8, full_at)), y(min(4, stored + (8 - last) * 2)))]
    if full_at < 8:
        points.append((x(8), y(4)))
    p.path(points, "as")
    seen = {}
    for t, granted in marks:
        n = seen[t] = seen.get(t, -1) + 1
        p.dot(x(t) + n * 10, bottom + 36, "g" if granted else "b")
    p.dot(left + 4, 312, "g"); p.text(left + 14, 316, "granted", "small")
    p.dot(left + 84, 312, "b"); p.text(left + 94, 316, "rejected: takes nothing, and says when to retry", "small")
    p.text(x(0.62), y(3.55), "a burst: up to the capacity at once", "small")
    p.text(x(2.8), y(0.3), "then one call per 1 / rate", "small")
    p.text(x(5.92), y(3.55), "full after capacity / rate", "small", "end")
    p.write("token-bucket.svg")


def group_commit():
    p = Picture(880, 300, "Group commit: requests that arrive during a call share the next one")
    left, right = 90, 860
    p.text(left, 24, "Requests that arrive while a call is under way share the next one; nothing waits for a timer", "title")
    rows = [("callers", 70), ("call to Redis", 150), ("Redis", 230)]
    for name, row in rows:
        p.text(left - 12, row + 4, name, "small", "end")
        p.line(left, row, right, row, "axis")
    calls = [(110, 250, 1), (262, 402, 5), (414, 554, 9), (700, 840, 1)]
    arrivals = [[110], [135, 150, 171, 203, 236], [262, 275, 289, 305, 322, 341, 355, 372, 390], [700]]
    for (start, end, n), times in zip(calls, arrivals):
        for t in times:
            p.dot(t, 70, "a", 4)
        p.rect(start, 136, end - start, 28, "inv", 4)
        p.rect(start, 136, end - start, 28, "soft", 4)
        p.text((start + end) / 2, 154, f"{n} request" + ("s" if n > 1 else ""), "", "middle")
        p.line(start + 6, 164, (start + end) / 2 - 22, 214, arrow=True)
        p.rect((start + end) / 2 - 20, 216, 40, 28, "a", 4)
        p.text((start + end) / 2, 234, "script", "inv small", "middle")
        p.line((start + end) / 2 + 22, 214, end - 6, 166, arrow=True)
        p.line(times[len(times) // 2], 78, start + 8, 134, "line", True)
    p.text(700, 56, "alone: sent immediately", "small", "middle")
    p.text(325, 56, "during call 2", "small", "middle")
    p.text(185, 56, "during call 1", "small", "middle")
    p.text(left, 284, "Each request keeps its own permits and timeout; those for one key are decided in the order in which they came.", "small")
    p.write("group-commit.svg")


def measured_outage():
    """The facts and the rows of outage.csv, which mvn -q compile -Poutage writes."""
    lines = (HERE / "outage.csv").read_text().splitlines()
    del lines[1]  # of what code it is
    facts = dict(part.split("=") for part in lines[1].split() if "=" in part)
    rows = [dict(zip(lines[2].split(","), map(int, line.split(",")))) for line in lines[3:]]
    for row in rows:
        row["alone"] = [count for name, count in row.items() if name.startswith("granted_by_instance_")]
    return {name: int(value) for name, value in facts.items()}, rows


def outage_fleet():
    facts, rows = measured_outage()
    stopped, limit, capacity, count = facts["stopped_ms"], 1000, 250, len(rows[0]["alone"])
    names = {4: "Four", 3: "Three", 2: "Two"}
    seconds = {}
    for row in rows:
        redis, alone = seconds.setdefault(row["ms"] // 1000, (0, [0] * count))
        seconds[row["ms"] // 1000] = (redis + row["granted_by_redis"], [a + b for a, b in zip(alone, row["alone"])])
    first, last = min(seconds), max(seconds) + 1
    p = Picture(880, 330, f"{names[count]} instances share a limit of {limit:,} permits per second, and Redis stops for 30 s: the limit holds")
    left, right, top, bottom, most = 64, 864, 96, 276, 1500
    x = lambda second: left + (second - first) / (last - first) * (right - left)
    y = lambda permits: bottom - permits / most * (bottom - top)
    p.text(left, 28, f"{names[count]} instances. Redis stops for {stopped // 1000} s. The limit of {limit:,}/s holds.", "head1")
    p.text(left, 52, "permits granted in each second by all instances together; callers ask for far more", "small")
    p.rect(x(0), top - 24, x(stopped / 1000) - x(0), bottom - top + 24, "warn", 0)
    for n in (0, 500, 1000):
        p.line(left, y(n), right, y(n), "axis")
        p.text(left - 8, y(n) + 4, f"{n:,}", "small", "end")
    for second, (redis, alone) in seconds.items():
        base, width = y(0), x(second + 1) - x(second) + 0.3
        parts = [(redis, "a", "")] + [(n, "b", f"fill-opacity:{1 - 0.2 * i:g}") for i, n in enumerate(alone)]
        for n, cls, style in parts:
            height = y(0) - y(n)
            if height:
                base -= height
                p.add(f'<rect class="{cls}" style="{style}" x="{x(second):g}" y="{base:g}" width="{width:g}" height="{height:g}"/>')
    p.path([(left, y(limit)), (right, y(limit))], "limit")
    p.text(left + 4, y(limit) - 6, f"limit: {limit:,}/s", "", "start")
    for at, label, anchor, shift in [(0, "Redis stops", "start", 6), (stopped / 1000, "Redis continues", "end", -6)]:
        p.line(x(at), top - 24, x(at), bottom, "line")
        p.text(x(at) + shift, top - 8, label, "title", anchor)
    p.text(x(first / 2), y(450), "Redis", "inv title", "middle")
    p.text(x(first / 2), y(450) + 17, "decides", "inv title", "middle")
    p.text(x(stopped / 2000), y(limit) - 12, "Each instance decides alone, under a quarter of the limit" if count == 4 else
           "Each instance decides alone, under its share of the limit", "", "middle")
    for i in range(count):
        p.text(x(stopped / 2000), y(limit / count * (i + 0.5)) + 4, f"instance {i + 1}", "inv tiny" if i < 2 else "tiny", "middle")
    for second in range(first, last + 1, 5):
        p.text(x(second), bottom + 18, f"{second} s", "small", "middle")
    p.text(left, bottom + 44, f"Measured. The side that takes over starts with a full bucket, so that up to its capacity, {capacity} permits, is granted once more.", "small")
    p.write("outage-fleet.svg")


def outage():
    facts, rows = measured_outage()
    stopped, unavailable, recovered = (facts[name + "_ms"] for name in ("stopped", "unavailable", "recovered"))
    step = rows[1]["ms"] - rows[0]["ms"]
    first, last = rows[0]["ms"], rows[-1]["ms"] + step
    p = Picture(880, 484, "Permits granted by Redis and by each instance alone, and how long calls take, while Redis is stopped for 30 s")
    left, right = 64, 864
    x = lambda ms: left + (ms - first) / (last - first) * (right - left)

    top, bottom, limit = 74, 210, 1000
    most = max(row["granted_by_redis"] + sum(row["alone"]) for row in rows) * 1000 / step
    most = math.ceil(most / limit) * limit
    y = lambda per_second: bottom - per_second / most * (bottom - top)
    p.text(left, 24, "A limit of 1,000 permits/s while Redis is stopped", "title")
    p.text(left, 46, "permits granted per second on one key, which is called far more often", "small")
    p.rect(x(0), top - 16, x(stopped) - x(0), bottom - top + 16, "warn", 0)
    for n in range(0, most + 1, limit):
        p.line(left, y(n), right, y(n), "axis")
        p.text(left - 8, y(n) + 4, f"{n:,}", "small", "end")
    for row in rows:
        base, width = y(0), max(x(row["ms"] + step) - x(row["ms"]) - 0.8, 1)
        for granted, cls in [(row["granted_by_redis"], "a"), (sum(row["alone"]), "b")]:
            height = granted * 1000 / step / most * (bottom - top)
            if height:
                base -= height
                p.rect(x(row["ms"]), base, width, height, cls, 0)
    p.line(left, y(limit), right, y(limit), "line")
    for at, label in [(0, "Redis is stopped"), (stopped, "Redis continues")]:
        p.line(x(at), top - 16, x(at), bottom, "line")
        p.text(x(at) + (6 if at == 0 else -6), top - 4, label, "small", "start" if at == 0 else "end")
    p.rect(right - 310, 36, 10, 10, "a", 2); p.text(right - 294, 46, "by Redis", "small")
    p.rect(right - 230, 36, 10, 10, "b", 2); p.text(right - 214, 46, "by each instance alone, under its share", "small")

    top, bottom = 262, 416
    micros = [1, 10, 100, 1000, 10000, 100000]
    y = lambda us: bottom - math.log10(max(us, 1)) / math.log10(400000) * (bottom - top)
    p.text(left, top - 16, "duration of calls, of buckets that are never empty, in each quarter of a second (logarithmic)", "small")
    p.rect(x(0), top - 8, x(stopped) - x(0), bottom - top + 8, "warn", 0)
    for at in (0, stopped):
        p.line(x(at), top - 8, x(at), bottom, "line")
    for us, label in zip(micros, ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]):
        p.line(left, y(us), right, y(us), "axis")
        p.text(left - 8, y(us) + 4, label, "small", "end")
    p.line(left, y(100000), right, y(100000), "line")
    p.text(right - 4, y(100000) - 5, "decision timeout", "small", "end")
    for name, cls in [("worst_us", "bs"), ("p99_us", "gs"), ("p50_us", "as")]:
        p.path([(x(row["ms"] + step / 2), y(row[name])) for row in rows], cls)
    for at, (name, cls) in enumerate([("p50", "a"), ("p99", "g"), ("worst", "b")]):
        p.rect(right - 190 + at * 66, top - 26, 10, 10, cls, 2)
        p.text(right - 174 + at * 66, top - 16, name, "small")
    for second in range(first // 1000, last // 1000 + 1, 5):
        p.text(x(second * 1000), bottom + 18, f"{second} s", "small", "middle")
    p.text(left, bottom + 42, f"The last circuit breaker opens {unavailable} ms after the stop, and the last one closes {recovered} ms after Redis continues.", "small")
    p.text(left, bottom + 58, "The side that takes over has a full bucket, so up to its capacity, 250 permits, is granted once more each time.", "small")
    p.write("outage.svg")


def outage_peers():
    """How long callers of each library waited at most, of the fleets in docs/benchmark/outage.csv."""
    libraries = [("Limiter", "limiter"), ("Bucket4j", "bucket4j"), ("Bucket4j, batching", "bucket4j-batching"),
                 ("Redisson", "redisson"), ("Gateway", "gateway"), ("Gateway, Bucket4j", "gateway-bucket4j")]
    faults = [("stopped for 10 s", "stopped"), ("restarted empty", "restarted empty"), ("failed over", "failed over"),
              ("crash-looping", "crash-looping")]
    with open(HERE.parent / "benchmark" / "outage.csv", newline="") as figures:
        rows = [row for row in csv.DictReader(figures) if row["instances"] == "4" and row["limit"] == "1000/s"]
    longest = {(row["library"], row["fault"]): float(row["longest_ms"]) / 1000 for row in rows}
    above = max(int(row["above"]) for row in rows if row["library"] == "limiter")
    p = Picture(880, 282, "The longest call of six libraries while Redis fails in four ways")
    p.text(8, 22, "The longest call while Redis fails, in seconds", "title")
    left, width, gap = 150, 164, 18
    for column, (title, fault) in enumerate(faults):
        start = left + column * (width + gap)
        p.text(start, 50, title, "small")
        for row, (name, library) in enumerate(libraries):
            top = 62 + row * 30
            seconds = longest[library, fault]
            if column == 0:
                p.text(left - 12, top + 15, name, "", "end")
            p.rect(start, top, max(2, seconds / 10.5 * (width - 34)), 20, "a" if row == 0 else "rest", 3)
            p.text(start + max(2, seconds / 10.5 * (width - 34)) + 5, top + 15, f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}", "small")
    p.text(8, 258, "Four instances share a limit of 1,000 permits per second, and each library and client has its default settings.", "small")
    p.text(8, 274, f"Meanwhile each instance of Limiter grants its share, so up to {above:,} permits beyond the limit. The others wait until Redis is back.", "small")
    p.write("outage-peers.svg")


def throughput():
    bars = [("Limiter", "limiter", "a"), ("Bucket4j, batching", "bucket4j-batching", "rest"),
            ("bare EVALSHA, no limit", "raw-evalsha", "rest"), ("Gateway's script", "gateway-script \u26a0", "rest"),
            ("Redisson", "redisson", "rest")]
    with open(HERE.parent / "benchmark" / "figures.csv", newline="") as figures:
        rows = [row for row in csv.DictReader(figures)
                if row["table"] == "hot, granted, 64 threads, JDK 17" and row["column"] == "decisions/s"]
    measured = {row["row"]: [int(n.replace(",", "")) for n in re.findall(r"[\d,]+", row["value"])] for row in rows}
    machine = rows[0]
    jdk = re.search(r" (\d+)\.", machine["jvm"]).group(1)
    processors = {"2": "two"}.get(machine["processors"], machine["processors"])
    p = Picture(880, 258, "Decisions per second on one key, 64 threads")
    p.text(8, 22, "Decisions per second on one key, 64 threads, one Redis", "title")
    x = lambda n: 190 + n / 300000 * 480
    for i, (name, subject, cls) in enumerate(bars):
        top = 40 + i * 32
        median, least, most = measured[subject]
        p.text(178, top + 16, name, "", "end")
        p.rect(190, top, x(median) - 190, 22, cls, 3)
        p.line(x(least), top + 11, x(most), top + 11, "line")
        p.line(x(least), top + 6, x(least), top + 16, "line")
        p.line(x(most), top + 6, x(most), top + 16, "line")
        p.text(x(most) + 8, top + 16, f"{median:,} ({least:,}\u2013{most:,})")
    p.text(8, 216, "Median of five rounds, and in brackets the slowest and the fastest of them, which the lines show.", "small")
    p.text(8, 232, f"JDK {jdk}, and {machine['server']} on the same machine: both share its {processors} processors, so compare the bars only with each other.", "small")
    p.text(8, 248, "The script that stands for the gateway's exceeded its limit, and the bare script has no limit.", "small")
    p.write("throughput.svg")


def chooser():
    p = Picture(880, 372, "Which limit do I need: questions that lead to a kind of limit")
    rows = [
        ("Does slow work pile up, so that only so many calls may run at once?", "ConcurrencyLimit", "@ConcurrentLimit"),
        ("Is it a quota per day or month, from the first call or by the calendar?", "FixedWindow", "@CountLimit"),
        ("Does a contract say \u201cat most n in any minute\u201d, with n up to 1,000?", "SlidingLog", "@CountLimit(kind = SLIDING_LOG)"),
        ("The same with a larger n, where an estimate is enough?", "SlidingCounter", "@CountLimit(kind = SLIDING_COUNTER)"),
        ("Must calls leave at an even pace, waiting in a queue?", "LeakyBucket.queue", "@RateLimit(kind = LEAKY_QUEUE)"),
    ]
    for i, (question, kind, annotation) in enumerate(rows):
        y = 12 + i * 58
        p.box(12, y, 510, 40, [question])
        p.line(522, y + 20, 606, y + 20, arrow=True)
        p.text(562, y + 14, "yes", "small", "middle")
        p.box(608, y - 3, 260, 46, [kind, annotation], "soft")
        p.line(267, y + 40, 267, y + 57, arrow=True)
        p.text(275, y + 53, "no", "small")
    p.box(12, 302, 510, 50, ["A rate, with bursts or waiting: TokenBucket", "@RateLimit: begin with this one"], "soft")
    p.text(608, 320, "Several limits, all or nothing: a LimitSet,", "small")
    p.text(608, 336, "or several annotations on one method.", "small")
    p.write("chooser.svg")


def forwarded():
    p = Picture(880, 236, "How the address of a caller is found in X-Forwarded-For")
    hops = [(12, "caller", "198.51.100.7"), (232, "load balancer", "10.0.1.5"), (452, "ingress", "10.0.2.9"), (692, "your application", "")]
    for x, name, address in hops:
        p.box(x, 16, 150 if address else 176, 48, [name, address] if address else [name], "box" if address else "soft")
    for a, b, text in [(162, 230, "1.2.3.4"), (382, 450, "+ 198.51.100.7"), (602, 690, "+ 10.0.1.5")]:
        p.line(a, 40, b, 40, arrow=True)
        p.text((a + b) / 2, 80, text, "small", "middle")
    p.text(12, 112, "X-Forwarded-For as it arrives, on a connection from 10.0.2.9; limiter.key.trusted-proxies=10.0.0.0/16", "title")
    for x, w, address, cls, note in [
            (12, 200, "1.2.3.4", "warn", "made up by the caller: not read"),
            (226, 200, "198.51.100.7", "soft", "not trusted: this is the caller"),
            (440, 200, "10.0.1.5", "box", "trusted: skipped"),
            (654, 214, "10.0.2.9 (connection)", "box", "trusted, so the header is read")]:
        p.rect(x, 128, w, 40, cls)
        p.text(x + w / 2, 153, address, "mono", "middle")
        p.text(x + w / 2, 186, note, "small", "middle")
    p.line(866, 212, 330, 212, arrow=True)
    p.text(600, 206, "read from its end", "small", "middle")
    p.write("forwarded.svg")


def filters():
    p = Picture(880, 150, "The order of the filters of a request")
    steps = [("headers", "highest + 100", "soft"), ("your CORS filter", "-300", "box"), ("rules: ip, header", "-200", "soft"),
             ("Spring Security", "-100", "box"), ("rules: user, claim", "-50", "soft"), ("@RateLimit, ...", "at the method", "soft")]
    for i, (name, order, cls) in enumerate(steps):
        x = 8 + i * 146
        p.box(x, 40, 128, 56, [name, order], cls)
        if i:
            p.line(x - 18, 68, x - 2, 68, arrow=True)
    p.text(8, 24, "A request passes from left to right; the limiter's filters are blue", "title")
    p.text(8, 124, "What a rule rejects goes no further. Spring Security does see requests that a rule by user or claim rejects, because that rule comes after it.", "small")
    p.write("filters.svg")


for picture in (architecture, token_bucket, group_commit, outage_fleet, outage, outage_peers, throughput, chooser, forwarded, filters):
    picture()
