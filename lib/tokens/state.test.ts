import { expect, test } from "vitest";
import { tokenState } from "./state";

const NOW = 1_000;
const active = { revokedAt: null, expiresAt: null, networks: ["203.0.113.0/24"] };

test("revoked, then expired, then elsewhere decides; without an ip networks do not matter", () => {
  const inside = { ip: "203.0.113.7" };
  const outside = { ip: "203.0.114.7" };
  expect(tokenState(active, NOW, inside)).toBe("active");
  expect(tokenState(active, NOW, outside)).toBe("elsewhere");
  expect(tokenState(active, NOW, { ip: null })).toBe("elsewhere");
  expect(tokenState(active, NOW)).toBe("active");
  expect(tokenState({ ...active, networks: [] }, NOW, { ip: null })).toBe("active");
  expect(tokenState({ ...active, expiresAt: NOW }, NOW, inside)).toBe("expired");
  expect(tokenState({ ...active, expiresAt: NOW }, NOW, outside)).toBe("expired");
  expect(tokenState({ ...active, expiresAt: NOW + 1 }, NOW, outside)).toBe("elsewhere");
  expect(tokenState({ ...active, expiresAt: NOW, revokedAt: NOW }, NOW, outside)).toBe("revoked");
});
