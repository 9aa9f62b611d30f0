import { expect, test, vi } from "vitest";
import { securityEvent } from "./security-events";

const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);

test("a security event's line has the id of everything that it concerns", () => {
  const ids = { accountId: 1, tokenId: 2, serverId: 3, serviceId: 4, nodeId: 5 };
  securityEvent("edge node added", { ...ids, ip: "192.0.2.1", reason: "replaced", count: 6 });
  expect(JSON.parse(String(written.mock.calls.at(-1)?.[0]))).toMatchObject({
    ...{ event: "edge node added", kind: "security", ip: "192.0.2.1", reason: "replaced", count: 6 },
    ...{ account: 1, token: 2, server: 3, service: 4, node: 5 },
  });
});
