"""Names the servers that are offline or below a score, and ends with 1 when there is one: cron sends what it prints.

    curl -sSO https://console.example.com/clients/console_api.py
    ORIGIN=https://console.example.com TOKEN=cpat_… python3 unhealthy.py 600
"""

import os
import sys

from console_api import ConsoleApi, ConsoleApiError


def main() -> int:
    below = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    api = ConsoleApi(os.environ["ORIGIN"], os.environ["TOKEN"])
    try:
        servers = api.list_servers()["servers"]
    except (ConsoleApiError, OSError) as error:
        print(f"The console could not be asked: {error}", file=sys.stderr)
        return 2
    unhealthy = [server for server in servers if not server["online"] or server["score"] < below]
    for server in unhealthy:
        print(f"{server['label']}: score {server['score']}, {'online' if server['online'] else 'offline'}")
    return 1 if unhealthy else 0


if __name__ == "__main__":
    sys.exit(main())
