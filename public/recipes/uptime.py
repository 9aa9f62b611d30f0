"""Recomputes the uptime of a server, to the second, from the events that its page offers as CSV: python3 uptime.py server-7-events.csv"""
import csv, sys
from datetime import datetime

RANGES, DAY = {"24 hours": 1, "7 days": 7, "30 days": 30, "90 days": 90, "365 days": 365}, 86_400_000

def at(text, otherwise):
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000) if text else otherwise

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    recorded, *rows = [(row["event"], row["from"], row["to"]) for row in csv.DictReader(file)]
now = at(recorded[2], None)
rows = [(event, at(since, None), at(until, now)) for event, since, until in rows]
maintenance = [row[1:] for row in rows if row[0] == "maintenance"]
for name, days in RANGES.items():
    start = max(at(recorded[1], now), now - days * DAY)
    within = lambda since, until: max(0, min(until, now) - max(since, start))
    left = sum(within(*time) for time in maintenance)
    lengths = [within(since, until) - sum(within(max(since, a), min(until, b)) for a, b in maintenance)
               for event, since, until in rows if event == "offline"]
    known, offline = now - start - left, sum(lengths)
    percent = f"{(known - offline) * 10000 // known / 100:g}" if known > 0 else "?"
    outages = sum(length > 0 for length in lengths)
    print(f"{name}: {percent} %; {offline // 1000} seconds in {outages} outages; {left // 1000} of maintenance")
