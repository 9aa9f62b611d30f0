import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { isMachinePath } from "@/lib/http/machine-path.mjs";

/** The module that lists the machine routes. It stands in no file. */
const LIST = "@/server/machine-routes";
const PACKAGE = /^(?:[a-z]|@[a-z])/;

/** The first line of the bundle, by which a start knows the build that it belongs to. */
function bundleHead(distDir: string): string {
  return `// Build ${readFileSync(join(distDir, "BUILD_ID"), "utf8")}`;
}

/** Bundles the HTTP server with the handlers of all machine routes into one file of the build. Packages stay outside. */
export async function bundleServer(distDir: string): Promise<void> {
  const bundle = await rolldown({
    input: "server/server.ts",
    platform: "node",
    tsconfig: "tsconfig.json",
    external: PACKAGE,
    // It takes calls for pure that are made for what they throw.
    treeshake: false,
    plugins: [listOfRoutes()],
  });
  try {
    const { output } = await bundle.generate({ format: "esm", sourcemap: true, codeSplitting: false });
    const [{ code: written, map }] = output;
    const code = written.replace(/^\/\/# sourceMappingURL=.*$/m, "");
    writeFileSync(
      join(distDir, "server.mjs"),
      `${bundleHead(distDir)}\n${code}\n//# sourceMappingURL=server.mjs.map\n`,
    );
    // The head is a line more.
    if (map) writeFileSync(join(distDir, "server.mjs.map"), JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
  } finally {
    await bundle.close();
  }
}

/** The folders of `app/` with a machine route, as paths. */
function machineRoutes(): string[] {
  return readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("/route.ts"))
    .map((file) => `/${file.slice(0, -"/route.ts".length)}`)
    .filter(isMachinePath)
    .sort();
}

function listOfRoutes(): Plugin {
  return {
    name: "machine-routes",
    resolveId: (id) => (id === LIST ? LIST : null),
    load(id) {
      if (id !== LIST) return null;
      const paths = machineRoutes();
      const imports = paths.map((path, n) => `import * as route${n} from "@/app${path}/route";`);
      const entries = paths.map((path, n) => `  { pattern: ${JSON.stringify(path)}, handlers: route${n} },`);
      return `${imports.join("\n")}\nexport const routes = [\n${entries.join("\n")}\n];\n`;
    },
  };
}
