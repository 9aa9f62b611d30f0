"""Recomputes the uptime of a server, to the second, from the events that its page offers as CSV.

    python3 uptime.py server-7-events.csv
"""
import csv, sys
from datetime import datetime

RANGES = {"24 hours": 1, "7 days": 7, "30 days": 30, "90 days": 90, "365 days": 365}
DAY = 86_400_000

def at(text, otherwise):
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000) if text else otherwise

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    recorded, *rows = csv.DictReader(file)
now = at(recorded["to"], None)
for name, days in RANGES.items():
    start = max(at(recorded["from"], now), now - days * DAY)
    sums, outages, end, is_outage = {"offline": 0, "unreachable": 0, "unknown": 0}, 0, None, False
    for row in rows:
        since, until = at(row["from"], None), at(row["to"], now)
        length = until - max(since, start)
        if row["event"] not in sums or length <= 0:
            continue
        sums[row["event"]] += length
        is_outage = is_outage and since == end
        outages, is_outage, end = outages + (row["event"] == "offline" and not is_outage), is_outage or row["event"] == "offline", until
    known = now - start - sums["unknown"]
    percent = f"{(known - sums['offline']) * 10000 // known / 100:g}" if known > 0 else "?"
    print(f"{name}: {percent} %; seconds", *(sums[kind] // 1000 for kind in sums), f"in {outages} outages")
