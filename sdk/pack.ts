import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { filesIn } from "./files.ts";
import { type TarFile, tar } from "./tar.ts";

/** The folders from which a package is made. */
export interface Source {
  /** Holds package.json, README.md, LICENSE and bin.js. Default: `sdk`. */
  readonly folder?: string;
  /** The output of `buildSdk`. */
  readonly dist: string;
}

export interface Package {
  readonly version: string;
  readonly tarball: Buffer;
}

export const packageFile = (version: string): string => `tributary-sdk-${version}.tgz`;

interface Manifest {
  readonly version: string;
}

const readManifest = ({ folder = import.meta.dirname }: Source) => readFile(join(folder, "package.json"), "utf8");

export async function sourceVersion(source: Source): Promise<string> {
  return (JSON.parse(await readManifest(source)) as Manifest).version;
}

/** Archives the package without compressing it, with the files that `npm pack` would include. */
export async function archive(source: Source, version?: string): Promise<Buffer> {
  const { folder = import.meta.dirname, dist } = source;
  const manifest = await readManifest(source);
  const described = version === undefined ? manifest : withVersion(manifest, version);
  const from = async (place: string, path: string, name = path): Promise<TarFile> => ({
    path: `package/${name}`,
    content: await readFile(join(place, path)),
    isExecutable: name === "bin.js",
  });
  return tar([
    { path: "package/package.json", content: Buffer.from(described), isExecutable: false },
    ...(await Promise.all(["LICENSE", "README.md", "bin.js"].map((file) => from(folder, file)))),
    ...(await Promise.all((await filesIn(dist)).map((file) => from(dist, file, `dist/${file}`)))),
  ]);
}

const withVersion = (manifest: string, version: string): string =>
  `${JSON.stringify({ ...JSON.parse(manifest), version }, null, 2)}\n`;

export const compress = (archived: Buffer): Buffer => gzipSync(archived, { level: 9 });

/** Returns a version whose name changes with its content, so that no URL ever has two contents. */
export async function packUnreleased(source: Source): Promise<Package> {
  // The digest is that of the compressed bytes: lock files contain it, and another zlib may compress differently.
  const digest = createHash("sha256")
    .update(compress(await archive(source)))
    .digest("hex");
  const version = `${await sourceVersion(source)}-dev-${digest.slice(0, 12)}`;
  return { version, tarball: compress(await archive(source, version)) };
}
