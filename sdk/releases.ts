import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ExplainedError } from "../scripts/command.ts";
import { archive, compress, type Package, packageFile, packUnreleased, type Source, sourceVersion } from "./pack.ts";

/**
 * The folder with the package of each released version, unchanged since its release, and with the digests in
 * integrity.json.
 */
export const releasedFolder = join(import.meta.dirname, "released");

/** The digest of each released package, by version. */
type Integrity = Readonly<Record<string, string>>;

const integrityFile = (folder: string) => join(folder, "integrity.json");

async function readIntegrity(folder: string): Promise<Integrity> {
  return JSON.parse(await readFile(integrityFile(folder), "utf8")) as Integrity;
}

const integrityOf = (tarball: Buffer): string => `sha512-${createHash("sha512").update(tarball).digest("base64")}`;

/**
 * Reads the released versions, oldest first. Throws if a file was changed, because lock files of applications contain
 * the digests.
 */
export async function readReleases(folder = releasedFolder): Promise<readonly Package[]> {
  const integrity = await readIntegrity(folder);
  const versions = Object.keys(integrity).toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const known = ["integrity.json", ...versions.map(packageFile)];
  const unknown = (await readdir(folder)).filter((file) => !known.includes(file));
  if (unknown.length > 0) throw new ExplainedError(`${integrityFile(folder)} has no entry for ${unknown.join(", ")}`);
  return Promise.all(
    versions.map(async (version) => {
      const file = join(folder, packageFile(version));
      const tarball = await readFile(file).catch(() => undefined);
      if (tarball === undefined || integrityOf(tarball) !== integrity[version]) {
        const state = tarball === undefined ? "is missing" : "was changed";
        throw new ExplainedError(
          `tributary-sdk ${version} is released, but ${file} ${state}: restore it from the history`,
        );
      }
      return { version, tarball };
    }),
  );
}

/** Returns the released package if the source's version is released, otherwise an unreleased one. */
export async function packCurrent(source: Source, releases: readonly Package[]): Promise<Package> {
  const version = await sourceVersion(source);
  const released = releases.find((release) => release.version === version);
  if (released === undefined) return packUnreleased(source);
  if (!gunzipSync(released.tarball).equals(await archive(source))) {
    throw new ExplainedError(
      `tributary-sdk ${version} is released and its sources changed: raise the version in sdk/package.json`,
    );
  }
  return released;
}

interface ReleaseOptions {
  readonly folder?: string;
  /** Called as soon as the version may be released, before the source is packed. */
  readonly before?: (version: string) => Promise<void>;
}

/** Releases the source under its version, permanently. Returns the tarball's path and integrity. */
export async function release(
  source: Source,
  { folder = releasedFolder, before }: ReleaseOptions = {},
): Promise<{ readonly file: string; readonly integrity: string }> {
  const version = await sourceVersion(source);
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new ExplainedError(`${version} can't be released: it must be three numbers`);
  const released = await readIntegrity(folder);
  if (Object.hasOwn(released, version)) {
    throw new ExplainedError(`tributary-sdk ${version} is released already: raise the version in sdk/package.json`);
  }
  await before?.(version);
  const tarball = compress(await archive(source));
  const integrity = integrityOf(tarball);
  const file = join(folder, packageFile(version));
  await writeFile(file, tarball);
  await writeFile(integrityFile(folder), `${JSON.stringify({ ...released, [version]: integrity }, null, 2)}\n`);
  return { file, integrity };
}
