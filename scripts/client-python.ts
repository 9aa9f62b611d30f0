import { type OpenApiDocument, type Operation, openValues, type Schema, successOf } from "@/lib/api/openapi";

/** The source of `public/clients/console_api.py`: types and methods from the document, the rest as it is here. */
export function writePythonClient(document: OpenApiDocument): string {
  const types = Object.entries(document.components.schemas).map(([name, schema]) => writeType(name, schema));
  const methods = Object.entries(document.paths).map(([path, { get }]) => writeMethod(path, get));
  return `${HEAD}\n\n${types.join("\n\n")}\n\n${ERRORS}\n\n${CLASS_HEAD}\n${methods.join("\n")}\n${CLASS_REST}`;
}

const HEAD = `# Copyright (c) 2026 the authors of the console. SPDX-License-Identifier: MIT
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
`;

const ERRORS = `class ConsoleApiError(Exception):
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
`;

const CLASS_HEAD = `class FollowedIntervals(TypedDict):
    """Intervals that were not given before, by ts and then node_id. Remember \`since\` once they are handled."""

    since: int
    intervals: list[MetricSample]


_MINUTE_MS = 60_000
#: How far each read of \`follow\` goes back beyond the latest interval.
_OVERLAP_MS = 10 * _MINUTE_MS
#: How often \`follow\` reads again all that may have come late: two hours, and the time since it did so last.
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
        """\`max_wait\`: seconds to wait in all, at most, before a request that was refused with a Retry-After fails (0
        never waits). Setting \`abort\` ends such a wait. \`timeout\`: seconds for which the console may be silent.
        Of a token that ends within 14 days \`warnings\` is told once."""
        self._origin = origin.rstrip("/")
        self._token = token.strip()
        self._timeout = timeout
        self._max_wait = max_wait
        self._abort = abort or threading.Event()
        self._has_warned = False
        self._opener = urllib.request.build_opener(_NoRedirects)
`;

const CLASS_REST = `    def follow(self, id: int, since: int | None = None, every: float = 60.0) -> Iterator[FollowedIntervals]:
        """Gives the intervals of a service as they come in, each once, also those that edge nodes deliver up to two hours
        late. \`since\`: that of the last batch that was handled before a restart; without it, it begins an hour ago.
        \`every\`: seconds from one read to the next, at least 1. It goes on while the console cannot answer, and ends
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
                # What the first read finds at or before \`since\` was given before the restart.
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
`;

function writeType(name: string, schema: Schema): string {
  const { properties = {}, required = [], description = "" } = schema;
  const fieldsOf = (isRequired: boolean) =>
    Object.entries(properties)
      .filter(([field]) => required.includes(field) === isRequired)
      .map(([field, property]) => {
        const comment = property.description ? `    #: ${property.description}\n` : "";
        return `${comment}    ${field}: ${typeOf(property)}\n`;
      })
      .join("");
  const text = `    """${description}"""\n\n`;
  const [always, sometimes] = [fieldsOf(true), fieldsOf(false)];
  if (!sometimes) return `class ${name}(TypedDict):\n${text}${always}`;
  if (!always) return `class ${name}(TypedDict, total=False):\n${text}${sometimes}`;
  // Python has a word for a single field that may be absent only from 3.11 on.
  return `class _${name}(TypedDict, total=False):\n${sometimes}\n\nclass ${name}(_${name}):\n${text}${always}`;
}

function writeMethod(path: string, operation: Operation): string {
  const { operationId, summary, parameters } = operation;
  const takes = parameters.map(({ name, in: place, schema }) => {
    if (place === "path") return `${name}: int`;
    const isOptional = schema.default === undefined;
    return `${name}: ${typeOf(schema)}${isOptional ? " | None = None" : ` = "${schema.default}"`}`;
  });
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const always = inQuery.filter(({ schema }) => schema.default !== undefined);
  const url = path + always.map(({ name }, index) => `${index === 0 ? "?" : "&"}${name}={${name}}`).join("");
  const sometimes = inQuery.filter((parameter) => !always.includes(parameter));
  const rest = sometimes.map(({ name }) => ` + ("" if ${name} is None else f"&${name}={${name}}")`);
  return `    def ${snakeCase(operationId)}(${["self", ...takes].join(", ")}) -> ${typeOf(successOf(operation).data)}:
        """${summary}."""
        return self._get(${url.includes("{") ? "f" : ""}"${url}"${rest.join("")})
`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "Any";
  const known = openValues(schema);
  if (known) return `${typeOf({ enum: known })} | str`;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(", ")}]`;
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
  if (schema.items) return `list[${typeOf(schema.items)}]`;
  const names: Record<string, string> = {
    integer: "int",
    number: "float",
    string: "str",
    boolean: "bool",
    null: "None",
  };
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => names[type] ?? "Any")
    .join(" | ");
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
