import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSdk, type Sizes } from "../sdk/build.ts";
import { packageFile } from "../sdk/pack.ts";
import { packCurrent, readReleases } from "../sdk/releases.ts";

/** The package for integrators, as it was built. */
export interface Sdk {
  /** That of the sources: an unreleased one is `<next version>-dev-<digest>`. */
  readonly version: string;
  /** Where it is below the assets. */
  readonly file: string;
  /** Where `/sdk.tgz` leads: to the newest release, or to `file` if there is none. */
  readonly newestFile: string;
  readonly sizes: Sizes;
}

const place = (version: string) => `sdk/${packageFile(version)}`;

/** Builds the package into `dist`, and puts it and every released version into the assets. */
export async function publishSdk(publicDirectory: string, dist: string): Promise<Sdk> {
  const sizes = await buildSdk(dist);
  const releases = await readReleases();
  const current = await packCurrent({ dist }, releases);
  await mkdir(join(publicDirectory, "sdk"), { recursive: true });
  for (const { version, tarball } of [...releases, current]) {
    await writeFile(join(publicDirectory, place(version)), tarball);
  }
  const newest = releases.at(-1) ?? current;
  await appendFile(join(publicDirectory, "_redirects"), `/sdk.tgz /${place(newest.version)} 302\n`);
  return { version: current.version, file: place(current.version), newestFile: place(newest.version), sizes };
}
