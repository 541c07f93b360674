import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buildSdk } from "../sdk/build.ts";
import { ReleaseError, release } from "../sdk/releases.ts";
import { root } from "./root.ts";

// npm run release:sdk: releases the SDK under the version in sdk/package.json. Commit the two files that it writes.

const dist = await mkdtemp(join(tmpdir(), "tributary-sdk-"));
try {
  await buildSdk(dist);
  const { file, integrity } = await release({ dist });
  console.log(`${relative(root, file)}\n${integrity}\nCommit it with sdk/released/integrity.json.`);
} catch (error) {
  console.error(error instanceof ReleaseError ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(dist, { recursive: true, force: true });
}
