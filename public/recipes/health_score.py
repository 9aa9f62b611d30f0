"""Recomputes the score from its six components, one answer of the API a line, and ends with 1 where the API said otherwise.

    curl -sSO https://console.example.com/docs/health-score.json
    sh fleet.sh | python3 health_score.py health-score.json
"""
import json, math, sys

rules, servers = json.load(open(sys.argv[1])), [json.loads(line)["data"] for line in sys.stdin]
wrong = False
for server in servers:
    products = [rule["weight"] * server["score_components"][name] for name, rule in rules["components"].items()]
    recomputed = math.floor(sum(products) / 100 + 0.5)
    print(json.dumps([recomputed, server["id"]]))
    wrong = wrong or recomputed != server["score"]
sys.exit(wrong)
