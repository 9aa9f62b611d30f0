import { z } from "zod";
import { UNPRINTABLE } from "@/lib/format/names";
import type { Sample } from "@/lib/servers/telemetry/measurements";

// What a daemon reports at a check-in, as code passes it on. Its form on the wire is lib/ingest/check-in-body.ts.

export const cores = z.int().min(1).max(65_536);

/** A text without what misleads on a page, of so many characters at most. */
export function printable(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !UNPRINTABLE.test(text), "holds control or text-direction characters");
}

export const factText = printable(256);

export const publicIp = z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }).nullable();

export type ParsedReport = {
  /** Facts about the machine; they replace the ones reported before. */
  facts?: { os: string; kernel: string; cores: number; [fact: string]: unknown } | undefined;
  publicIp?: string | null | undefined;
  sample?: Sample | undefined;
};
