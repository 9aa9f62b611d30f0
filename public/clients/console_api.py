# Copyright (c) 2026 the authors of the console. SPDX-License-Identifier: MIT
"""Client of the Console API, v1. Generated from its OpenAPI document: take a newer one from the console that you
call, at /clients/console_api.py, instead of changing this one. One file, Python 3.8 or newer, the standard library.

    api = ConsoleApi("https://console.example.com", token)
    for server in api.list_servers()["servers"]:
        print(server["label"], server["score"])
"""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
import warnings
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Iterator, Literal, TypedDict


# region types


class Account(TypedDict):
    """The account that owns the token."""

    #: Identifier of the account.
    id: int
    #: Display name.
    name: str
    #: E-mail address.
    email: str
    #: Role; support and admin are staff.
    role: Literal["customer", "support", "admin"] | str


class ServerListItem(TypedDict):
    """A server, as the list shows it."""

    #: Identifier of the server.
    id: int
    #: The name that the server goes by in the console.
    label: str
    #: Host name.
    hostname: str
    #: Whether the server's daemon, which checks in every 30 seconds, did so within the last two minutes.
    online: bool
    #: Health score, computed as it is read, 0 to 1000, higher is healthier.
    score: int
    #: The daemon's last check-in, or when the server was created if there was none, in Unix epoch milliseconds.
    last_seen: int
    #: Public IP; null until the daemon reports one.
    public_ip: str | None


class ServerList(TypedDict):
    """The servers of the account."""

    #: By id; all of them.
    servers: list[ServerListItem]


class Facts(TypedDict, total=False):
    """What the daemon reported about the machine, as it is: further keys may appear."""

    #: Operating system.
    os: str
    #: Kernel release.
    kernel: str
    #: Number of CPU cores.
    cores: int


class ScoreComponents(TypedDict):
    """The six components of the score: score = round((20·cpu + 20·memory + 20·disk + 15·network + 15·stability + 10·freshness) / 100)."""

    #: CPU, 0 to 1000, higher is healthier.
    cpu: int
    #: Memory, 0 to 1000, higher is healthier.
    memory: int
    #: The fullest file system, 0 to 1000, higher is healthier.
    disk: int
    #: Packet loss and retransmissions, 0 to 1000, higher is healthier.
    network: int
    #: Check-ins received, restarts and failures of the last 24 hours, 0 to 1000, higher is healthier.
    stability: int
    #: Time since the last check-in, 0 to 1000, higher is healthier.
    freshness: int


class _LatestSample(TypedDict, total=False):
    #: CPU use of all cores together, in percent. Absent when not measured.
    cpu_pct: float
    #: CPU time that other guests of the host took, in percent. Absent when not measured.
    cpu_steal_pct: float
    #: CPU time spent waiting for disks, in percent. Absent when not measured.
    cpu_iowait_pct: float
    #: Load average of five minutes. Absent when not measured.
    load5: float
    #: Memory in use, in megabytes. Absent when not measured.
    mem_used_mb: float
    #: Memory in all, in megabytes. Absent when not measured.
    mem_total_mb: float
    #: Swap in use, in percent. Absent when not measured.
    swap_used_pct: float
    #: Use of the fullest file system, in percent. Absent when not measured.
    disk_used_pct: float
    #: Packets lost, in percent. Absent when not measured.
    net_loss_pct: float
    #: TCP segments sent again, in percent. Absent when not measured.
    net_retransmit_pct: float
    #: Time since the machine started, in seconds. Absent when not measured.
    uptime_s: float
    #: Processes killed for lack of memory since the check-in before. Absent when not measured.
    oom_kills: float
    #: System services in a failed state. Absent when not measured.
    failed_units: float


class LatestSample(_LatestSample):
    """The latest telemetry sample. A measurement that the daemon did not make is absent."""

    #: When it was measured; a daemon measures every 30 seconds, in Unix epoch milliseconds.
    ts: int


class ServerDetail(TypedDict):
    """A server in full."""

    #: Identifier of the server.
    id: int
    #: The name that the server goes by in the console.
    label: str
    #: Host name.
    hostname: str
    #: Whether the server's daemon, which checks in every 30 seconds, did so within the last two minutes.
    online: bool
    #: Health score, computed as it is read, 0 to 1000, higher is healthier.
    score: int
    #: The daemon's last check-in, or when the server was created if there was none, in Unix epoch milliseconds.
    last_seen: int
    #: Public IP; null until the daemon reports one.
    public_ip: str | None
    #: When the server was added, in Unix epoch milliseconds.
    created_at: int
    facts: Facts
    score_components: ScoreComponents
    #: Why the score is what it is: what was measured, where full score ends, points lost; worst first.
    score_notes: list[str]
    #: The latest telemetry sample; null when none has arrived.
    latest_sample: LatestSample | None


class BenchmarkScores(TypedDict):
    """The scores of a benchmark run by section."""

    #: CPU, 0 to 100; null when it could not be measured.
    cpu: int | None
    #: Disk, 0 to 100; null when it could not be measured.
    disk: int | None
    #: Network, 0 to 100; null when it could not be measured.
    network: int | None
    #: Stability, 0 to 100; null when it could not be measured.
    stability: int | None
    #: All together, 0 to 100; null when it could not be measured.
    total: int | None


class BenchmarkRun(TypedDict):
    """A finished benchmark run."""

    #: Identifier of the run.
    id: int
    #: The name that was given to the run.
    label: str
    #: Only finished runs are listed.
    status: Literal["done"] | str
    scores: BenchmarkScores
    #: Whether the reported hardware passed the console's consistency checks.
    verified: bool
    #: When the run finished, in Unix epoch milliseconds.
    finished_at: int


class BenchmarkRuns(TypedDict):
    """The finished benchmark runs of a server."""

    #: Newest first; every one that the console keeps.
    benchmarks: list[BenchmarkRun]


class GameService(TypedDict):
    """A game-protection service."""

    #: Identifier of the service.
    id: int
    #: The name that the service goes by in the console.
    name: str
    #: State of the service.
    status: Literal["pending_config", "configuring", "active", "failed", "disabled", "deleting"] | str
    #: Public host name that players connect to.
    java_hostname: str
    #: Host of the origin behind the protection.
    origin_host: str
    #: TCP port of the origin.
    origin_port: int
    #: Version of the configuration; each change raises it.
    config_version: int
    #: Why the last change failed; null when nothing is wrong.
    error: str | None
    #: When the service was created, in Unix epoch milliseconds.
    created_at: int
    #: When the service last changed, in Unix epoch milliseconds.
    updated_at: int


class GameServiceList(TypedDict):
    """The game-protection services that the account owns or was granted."""

    #: By id; all of them.
    services: list[GameService]


class MetricSample(TypedDict):
    """One interval of 60 seconds as one edge node counted it."""

    #: When the interval begins, in Unix epoch milliseconds.
    ts: int
    #: The edge node that reported the interval.
    node_id: int
    #: Packets between edge node and origin, both ways, in this interval alone, not cumulative.
    packets: int
    #: Bytes between players and edge node, both ways, in this interval alone, not cumulative.
    bytes: int
    #: Sessions that did not reach the origin: above a limit, or it could not be reached; in this interval alone, not cumulative.
    dropped: int
    #: Sessions of players that reached the origin in this interval alone, not cumulative.
    connections: int
    #: Time that the origin took to answer a status ping of the edge node, in milliseconds; null when the edge did not measure it.
    latency_ms: float | None


class MetricSeries(TypedDict):
    """The traffic of a game-protection service."""

    #: How far back the series reaches: an hour, a day or a week.
    range: Literal["1h", "24h", "7d"] | str
    #: Every stored interval of the range, by ts and then node_id. One that no edge node reported is absent.
    series: list[MetricSample]


class Failure(TypedDict):
    """The body of every failure."""

    #: What is wrong, for a person to read.
    error: str


# endregion


class ConsoleApiError(Exception):
    """A failure that the API answered."""

    def __init__(self, message: str, status: int, request_id: str | None, retry_after: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        #: Quote it when you report a fault.
        self.request_id = request_id
        #: Seconds after which the request may succeed; None when waiting does not help.
        self.retry_after = retry_after


class ConsoleUnreachable(OSError):
    """The console did not answer: it cannot be reached, or took too long."""


class Aborted(Exception):
    """The event that was given to the client was set while it waited."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token belongs to one origin."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


class FollowedIntervals(TypedDict):
    """Intervals that were not given before, by ts and then node_id. Remember `since` once they are handled."""

    since: int
    intervals: list[MetricSample]


_MINUTE_MS = 60_000
#: How far each read of `follow` goes back beyond the latest interval.
_OVERLAP_MS = 10 * _MINUTE_MS
#: How often `follow` reads again all that may have come late: two hours, and the time since it did so last.
_REREAD_EVERY_S = 1800
_REREAD_MS = 2 * 60 * _MINUTE_MS + _REREAD_EVERY_S * 1000
#: A token that ends within so many seconds is warned of.
_ENDS_SOON_S = 14 * 86_400


class ConsoleApi:
    def __init__(
        self,
        origin: str,
        token: str,
        *,
        timeout: float = 30.0,
        max_wait: float = 120.0,
        abort: threading.Event | None = None,
    ) -> None:
        """`max_wait`: seconds to wait in all, at most, before a request that was refused with a Retry-After fails (0
        never waits). Setting `abort` ends such a wait. `timeout`: seconds for which the console may be silent.
        Of a token that ends within 14 days `warnings` is told once."""
        self._origin = origin.rstrip("/")
        self._token = token.strip()
        self._timeout = timeout
        self._max_wait = max_wait
        self._abort = abort or threading.Event()
        self._has_warned = False
        self._opener = urllib.request.build_opener(_NoRedirects)

    # region methods

    def get_account(self) -> Account:
        """Your account."""
        return self._get("/api/v1/me")

    def list_servers(self) -> ServerList:
        """Every server with its health score."""
        return self._get("/api/v1/servers")

    def get_server(self, id: int) -> ServerDetail:
        """One server, its latest sample and why it scores what it scores."""
        return self._get(f"/api/v1/servers/{id}")

    def list_benchmarks(self, id: int) -> BenchmarkRuns:
        """Finished benchmark runs, newest first."""
        return self._get(f"/api/v1/servers/{id}/benchmarks")

    def list_game_services(self) -> GameServiceList:
        """Game-protection services you own or share."""
        return self._get("/api/v1/game-services")

    def get_game_service(self, id: int) -> GameService:
        """One game-protection service."""
        return self._get(f"/api/v1/game-services/{id}")

    def get_metrics(self, id: int, range: Literal["1h", "24h", "7d"] = "1h", since: int | None = None) -> MetricSeries:
        """Its traffic, interval by interval, for an hour, a day or a week."""
        return self._get(f"/api/v1/game-services/{id}/metrics?range={range}" + ("" if since is None else f"&since={since}"))

    # endregion

    def follow(self, id: int, since: int | None = None, every: float = 60.0) -> Iterator[FollowedIntervals]:
        """Gives the intervals of a service as they come in, each once, also those that edge nodes deliver up to two hours
        late. `since`: that of the last batch that was handled before a restart; without it, it begins an hour ago.
        `every`: seconds from one read to the next, at least 1. It goes on while the console cannot answer, and ends
        with Aborted or when a request is refused for good."""
        given: set[tuple[int, int]] = set()
        latest, oldest, reread_at, is_first = since, 0, 0.0, True
        while True:
            started_at, wait = time.monotonic(), max(1.0, every)
            is_reread = is_first or started_at - reread_at >= _REREAD_EVERY_S
            try:
                if latest is None:
                    series = self.get_metrics(id)["series"]
                else:
                    after = max(0, latest - (_REREAD_MS if is_reread else _OVERLAP_MS))
                    series = self.get_metrics(id, range="7d", since=after)["series"]
            except ConsoleUnreachable:
                pass
            except ConsoleApiError as error:
                if error.retry_after is None and error.status < 500:
                    raise
                wait = max(wait, error.retry_after or 0)
            else:
                found = [one for one in series if one["ts"] >= oldest and (one["ts"], one["node_id"]) not in given]
                given.update((one["ts"], one["node_id"]) for one in found)
                # What the first read finds at or before `since` was given before the restart.
                intervals = [one for one in found if not is_first or since is None or one["ts"] > since]
                if is_first and since is None:
                    oldest = series[0]["ts"] if series else 0
                if is_reread:
                    reread_at = started_at
                is_first = False
                latest = max([one["ts"] for one in intervals] + ([] if latest is None else [latest]), default=None)
                given = {key for key in given if latest is None or key[0] > latest - _REREAD_MS}
                if intervals and latest is not None:
                    yield {"since": latest, "intervals": intervals}
            if self._abort.wait(max(0.0, wait - (time.monotonic() - started_at))):
                raise Aborted()

    def _warn_of_end(self, headers: HTTPMessage) -> None:
        ends_at = re.fullmatch("[0-9]{1,15}", headers.get("X-Token-Expires-At", ""))
        if self._has_warned or not ends_at or int(ends_at[0]) / 1000 - time.time() > _ENDS_SOON_S:
            return
        self._has_warned = True
        day = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(ends_at[0]) / 1000))
        warnings.warn(f"The access token ends at {day}: replace it before.", stacklevel=4)

    def _get(self, path: str) -> Any:
        request = urllib.request.Request(
            self._origin + path,
            headers={"Accept": "application/json", "Authorization": f"Bearer {self._token}"},
        )
        waited = 0
        while True:
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    self._warn_of_end(response.headers)
                    return _data_of(response.read())
            except urllib.error.HTTPError as failure:
                self._warn_of_end(failure.headers)
                error = _error_of(failure)
            except (OSError, HTTPException) as failure:
                raise ConsoleUnreachable(f"{self._origin} does not answer: {_reason_of(failure)}.") from failure
            wait = error.retry_after
            if wait is None or waited + wait > self._max_wait:
                raise error
            if self._abort.wait(wait):
                raise Aborted()
            waited += wait


def _data_of(text: bytes) -> Any:
    try:
        return json.loads(text)["data"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise OSError("something else answers in its place") from None


def _error_of(failure: urllib.error.HTTPError) -> ConsoleApiError:
    try:
        with failure:
            text = failure.read().decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = ""
    after = re.fullmatch("[0-9]{1,9}", failure.headers.get("Retry-After", ""))
    retry_after = max(1, int(after[0])) if after else None
    message = _message_of(text) or f"The console answered {failure.code}."
    return ConsoleApiError(message, failure.code, failure.headers.get("X-Request-Id"), retry_after)


def _reason_of(failure: Exception) -> str:
    return str(getattr(failure, "reason", failure)) or type(failure).__name__


def _message_of(text: str) -> str:
    """Something between here and the API may answer in its own words."""
    try:
        return str(json.loads(text)["error"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return text[:200]
