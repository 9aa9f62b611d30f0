import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newAccount } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { findBuildingPython } from "@/e2e/support/programs.mjs";
import { runProgram } from "@/e2e/support/run-program";
import { writePythonPackage } from "@/scripts/client-packages";

// The package for npm is tried on each supported Node: scripts/client-packages.test.ts.

const PROGRAM = `
import ast, importlib.metadata, pathlib, sys
import console_api
from console_api import ConsoleApi, ConsoleApiError

print(ConsoleApi(sys.argv[1], sys.argv[2]).get_account()["name"])
try:
    ConsoleApi(sys.argv[1], sys.argv[2]).get_server(2147483647)
except ConsoleApiError as error:
    print(error.status, error.message)
folder = pathlib.Path(console_api.__file__).parent
print(sorted(path.name for path in folder.iterdir() if path.name != "__pycache__"))
ast.parse((folder / "__init__.py").read_text(), feature_version=(3, 8))
about = importlib.metadata.metadata("console-api-client")
print(about["Version"], about["Requires-Python"], "License :: OSI Approved :: MIT License" in about.get_all("Classifier"))
print(about.get_all("Requires-Dist"))
`;

test("the package for Python is built without the network, installs into an empty folder, and reads the API; it parses as Python 3.8", {
  tag: "@one-engine",
}, async () => {
  needs("python3 with build and pip");
  const python = findBuildingPython() ?? "";
  const { name, token } = await newAccount();
  const [packages, home] = [test.info().outputPath("packages"), test.info().outputPath("home")];
  mkdirSync(home);
  const written = writePythonPackage(packages);
  expect(readdirSync(packages).sort()).toEqual([...written].sort());
  const wheel = join(packages, written.find((file) => file.endsWith(".whl")) ?? "");
  const source = join(packages, written.find((file) => file.endsWith(".tar.gz")) ?? "");
  const { output: files } = await runProgram("tar", ["tzf", source]);
  for (const file of ["LICENSE", "README.md", "console_api/CHANGELOG.md", "console_api/py.typed"]) {
    expect(files).toContain(`/${file}\n`);
  }
  const pip = [
    "-m",
    "pip",
    "install",
    "--no-index",
    "--no-deps",
    "--disable-pip-version-check",
    "--target",
    home,
    wheel,
  ];
  const { code, errors } = await runProgram(python, pip);
  expect([code, errors]).toEqual([0, expect.not.stringContaining("ERROR")]);
  const used = await runProgram(python, ["-c", PROGRAM, sharedOrigin(), token], { PYTHONPATH: home });
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect({ errors: used.errors, lines: used.output.trim().split("\n") }).toEqual({
    errors: "",
    lines: [name, "404 Not found.", "['CHANGELOG.md', '__init__.py', 'py.typed']", `${version} >=3.8 True`, "None"],
  });
  const licence = readdirSync(home).find((folder) => folder.endsWith(".dist-info")) ?? "";
  expect(readFileSync(join(home, licence, "LICENSE"), "utf8")).toBe(readFileSync("public/clients/LICENSE", "utf8"));
});
