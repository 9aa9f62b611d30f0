import { z } from "zod";
import { UNPRINTABLE } from "@/lib/format/names";
import type { Sample } from "@/lib/servers/telemetry/measurements";

// What a daemon reports at a check-in, as code passes it on. Its form on the wire is lib/ingest/check-in-body.ts.

export const cores = z.int().min(1).max(65_536);

export const factText = z
  .string()
  .max(256)
  .refine((text) => !UNPRINTABLE.test(text), "holds control or text-direction characters");

export const publicIp = z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }).nullable();

export type ParsedReport = {
  /** Facts about the machine; they replace the ones reported before. */
  facts?: { os: string; kernel: string; cores: number; [fact: string]: unknown } | undefined;
  publicIp?: string | null | undefined;
  sample?: Sample | undefined;
};
