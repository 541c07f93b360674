import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSdk, type Sizes } from "../../sdk/build.ts";
import { packageFile } from "../../sdk/pack.ts";
import { packCurrent, readReleases } from "../../sdk/releases.ts";

export interface Sdk {
  /** The SDK's version. The version of unreleased code is `<next version>-dev-<digest>`. */
  readonly version: string;
  readonly file: string;
  /** The file to which `/sdk.tgz` redirects: the newest release, or `file` if there is none. */
  readonly newestFile: string;
  readonly sizes: Sizes;
}

const place = (version: string) => `sdk/${packageFile(version)}`;

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
