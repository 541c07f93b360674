import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readReleases } from "../../sdk/releases.ts";
import { explain } from "../command.ts";
import { node, root } from "../root.ts";
import { sampleBook } from "../sample/book.ts";
import { releaseService } from "./release-service.ts";

// npm run release -- <version>: tests this commit, writes the version into the files, and commits and tags it.

const [version, ...others] = process.argv.slice(2);
if (version === undefined || others.length > 0) {
  console.error("Usage: npm run release -- <version>");
  process.exit(2);
}
try {
  const released = await readReleases();
  const now = new Date();
  releaseService({
    folder: root,
    version,
    day: now.toISOString().slice(0, 10),
    book: await sampleBook(now.getTime()),
    sdkVersions: released.map((each) => each.version),
    check: () => void execFileSync("npm", ["test"], { cwd: root, stdio: "inherit" }),
  });
  console.log(`v${version} is tagged. Send it: git push --follow-tags`);
  if (process.platform === "linux" && process.arch === "x64") {
    // The archive gets the version and the commit of the tag.
    execFileSync(node, [join(root, "scripts/release/package.ts")], { stdio: "inherit" });
  } else console.log("On Linux x64, npm run package writes the archive of this release.");
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
