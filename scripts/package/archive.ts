import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";

/**
 * Writes a package as `NAME-VERSION-COMMIT.tar.gz`, which holds one folder of that name, into a folder, and beside it the
 * file by which `sha256sum --check` knows it. A package without a commit has the id of its build there. With one version of
 * Node, the same package makes the same bytes on every machine.
 */
export async function writeArchive(
  folder: string,
  target: string,
): Promise<{ file: string; bytes: number; sha256: string }> {
  const { name, version, commit } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const buildIdFile = join(folder, ".next/BUILD_ID");
  // Two builds of one version must not unpack over each other: one of them may be serving.
  const build: string = commit ?? readFileSync(buildIdFile, "utf8");
  const title = `${name}-${version}-${build.slice(0, 12)}`;
  const file = join(target, `${title}.tar.gz`);
  const paths = entriesIn(folder).sort();
  // Of the build, and so not the same for two versions: files of one size would else have one ETag.
  const { mtime } = statSync(buildIdFile);
  await create({ cwd: folder, file, prefix: title, gzip: true, portable: true, mtime, noDirRecurse: true }, paths);
  const archive = readFileSync(file);
  const sha256 = createHash("sha256").update(archive).digest("hex");
  writeFileSync(`${file}.sha256`, `${sha256}  ${title}.tar.gz\n`);
  return { file, bytes: archive.length, sha256 };
}

/** Everything but folders. A link to a folder is one entry; a newer Node's own `recursive` would follow it. */
function entriesIn(folder: string, path = ""): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name);
    return entry.isDirectory() ? entriesIn(folder, inside) : [inside];
  });
}
