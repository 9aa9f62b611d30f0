import { openValues } from "@/lib/api/open-values";
import type { OpenApiDocument, Operation, Schema } from "@/lib/api/openapi";

/** The source of `public/clients/console_api.py`: types and methods from the document, the rest as it is here. */
export function writePythonClient(document: OpenApiDocument): string {
  const types = Object.entries(document.components.schemas).map(([name, schema]) => writeType(name, schema));
  const methods = Object.entries(document.paths).map(([path, { get }]) => writeMethod(path, get));
  return `${HEAD}\n\n${types.join("\n\n")}\n\n${ERRORS}\n\n${CLASS_HEAD}\n${methods.join("\n")}\n${CLASS_REST}`;
}

const HEAD = `"""Client of the Console API, v1. Generated from its OpenAPI document: take a newer one from the console that you
call, at /clients/console_api.py, instead of changing this one. One file, Python 3.8 or newer, the standard library.

    api = ConsoleApi("https://console.example.com", token)
    for server in api.list_servers()["servers"]:
        print(server["label"], server["score"])
"""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Literal, TypedDict
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

const CLASS_HEAD = `class ConsoleApi:
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
        never waits). Setting \`abort\` ends such a wait. \`timeout\`: seconds for which the console may be silent."""
        self._origin = origin.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._max_wait = max_wait
        self._abort = abort or threading.Event()
        self._opener = urllib.request.build_opener(_NoRedirects)
`;

const CLASS_REST = `    def _get(self, path: str) -> Any:
        request = urllib.request.Request(
            self._origin + path,
            headers={"Accept": "application/json", "Authorization": f"Bearer {self._token}"},
        )
        waited = 0
        while True:
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    return json.load(response)["data"]
            except urllib.error.HTTPError as failure:
                error = _error_of(failure)
            except (OSError, HTTPException) as failure:
                raise ConsoleUnreachable(f"{self._origin} does not answer: {_reason_of(failure)}.") from failure
            wait = error.retry_after
            if wait is None or waited + wait > self._max_wait:
                raise error
            if self._abort.wait(wait):
                raise Aborted()
            waited += wait


def _error_of(failure: urllib.error.HTTPError) -> ConsoleApiError:
    with failure:
        text = failure.read().decode("utf-8", "replace")
    after = failure.headers.get("Retry-After", "")
    retry_after = max(1, int(after)) if re.fullmatch(r"\\d+", after) else None
    return ConsoleApiError(_message_of(text), failure.code, failure.headers.get("X-Request-Id"), retry_after)


def _reason_of(failure: Exception) -> str:
    return str(getattr(failure, "reason", failure)) or type(failure).__name__


def _message_of(text: str) -> str:
    """Something between here and the API may answer in its own words."""
    try:
        return str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
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

function writeMethod(path: string, { operationId, summary, parameters, responses }: Operation): string {
  const success = responses[200];
  const content = success && "content" in success ? success.content?.["application/json"] : undefined;
  const data = content?.schema.properties?.data;
  if (!data) throw new Error(`${operationId} answers no data.`);
  const takes = parameters.map(({ name, in: place, schema }) =>
    place === "path" ? `${name}: int` : `${name}: ${typeOf(schema)} = "${schema.default}"`,
  );
  const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => `?${name}={${name}}`);
  const url = path + query.join("");
  return `    def ${snakeCase(operationId)}(${["self", ...takes].join(", ")}) -> ${typeOf(data)}:
        """${summary}."""
        return self._get(${url.includes("{") ? "f" : ""}"${url}")
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
