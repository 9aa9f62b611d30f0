import { type Env, parseEnv } from "@/lib/process/env-variables";

/** The settings of this process, read once. A wrong variable throws right here, at the start. */
export const env: Env = parseEnv(process.env);
