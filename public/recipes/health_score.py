"""Recomputes components and scores, one answer of the API a line, and ends with 1 where the API said otherwise.

    curl -sSO https://console.example.com/docs/health-score.json
    sh fleet.sh | python3 health_score.py health-score.json
"""
import json, math, sys

def at(curve, x):
    for (x0, y0), (x1, y1) in zip(curve, curve[1:]):
        if x <= x1:
            return y0 if x <= x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return curve[-1][1]

def rate(server, rules):
    sample, past, now = server["latest_sample"] or {}, server["stability"] or {}, server["scored_at"]
    cores, load, total = server["facts"].get("cores"), sample.get("load5"), sample.get("mem_total_mb")
    seen, last_oom = sample or server["last_seen"] != server["created_at"], past.get("last_oom_at")
    values = {**sample, "coverage_pct": past.get("coverage_pct"),
              "last_seen_seconds": max(0, now - server["last_seen"]) / 1000 if seen else None,
              "mem_used_pct": sample["mem_used_mb"] / total * 100 if total and "mem_used_mb" in sample else None,
              "load_per_core": load / cores if load is not None and type(cores) in (int, float) and cores > 0 else None}
    on = lambda curves: [at(curve, values[name]) for name, curve in curves.items() if values.get(name) is not None]
    counts = at(rules["sample_age_seconds"], max(0, now - sample.get("ts", now)) / 1000)
    components = {}
    for name, rule in rules["components"].items():
        known, cap, components[name] = on(rule["curves"]), rule["after_kill"], rules["not_reported"]
        if not known:
            continue
        points = min(known) - max([0] + on(rule["deductions"]))
        for of, event in rule["events"].items():
            points -= min(event["most"], event["each"] * past[of])
        if cap and (sample.get("oom_kills", 0) > 0 or last_oom is not None and now - last_oom < cap["lasts_ms"]):
            points = min(points, cap["most"])
        components[name] = math.floor(max(0, min(rules["full"], points)) * (counts if rule["fades"] else 1) + 0.5)
    products = [rule["weight"] * components[name] for name, rule in rules["components"].items()]
    return math.floor(sum(products) / 100 + 0.5), components

rules, servers = json.load(open(sys.argv[1])), [json.loads(line)["data"] for line in sys.stdin]
print(*(json.dumps(rate(server, rules)) for server in servers), sep="\n")
sys.exit(any(rate(server, rules) != (server["score"], server["score_components"]) for server in servers))
