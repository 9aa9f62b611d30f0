import { deepStrictEqual, ok } from "node:assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Headers of the transport, and headers that fetch cannot send. */
const TRANSPORT =
  /^(?:host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer|content-.*|accept-encoding)$/;

/** Sends every header that the framework knows, many at a time, and expects that none changes an answer of the API. */
export async function expectNoFrameworkHeaderToMatter(origin: string): Promise<void> {
  const names = headerNamesIn("node_modules/next/dist");
  ok(names.length > 100, "the framework names its headers elsewhere");
  const answerTo = async (headers: Record<string, string>) => {
    const answer = await fetch(`${origin}/api/v1/me`, { headers, redirect: "manual" });
    const isTold = (name: string) => name !== "transfer-encoding";
    return {
      status: answer.status,
      names: [...answer.headers.keys()].filter(isTold).toSorted(),
      body: await answer.text(),
    };
  };
  const plain = await answerTo({});
  deepStrictEqual(plain.status, 401);
  while (names.length > 0) {
    const batch = names.splice(0, 40);
    for (const value of ["1", "true", "/api/v1/nope", "%7B%7D"]) {
      const answer = await answerTo(Object.fromEntries(batch.map((name) => [name, value])));
      deepStrictEqual(answer, plain, batch.join());
    }
  }
}

/** Every string in the framework's own files that could be the name of a header. */
function headerNamesIn(folder: string): string[] {
  const names = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!entry.endsWith(".js") || !/^(?:server|client|lib|shared|build)\//.test(entry)) continue;
    for (const [, name = ""] of readFileSync(join(folder, entry), "utf8").matchAll(
      /["']((?:x|next|rsc|sec|cf|vercel|purpose|cdn)(?:-[a-z\d]+){0,8})["']/gi,
    )) {
      names.add(name.toLowerCase());
    }
  }
  return [...names].filter((name) => !TRANSPORT.test(name));
}
