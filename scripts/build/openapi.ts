import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApiDocument } from "#routes/openapi/document.ts";
import { explain, readFlags } from "../command.ts";
import { root } from "../root.ts";
import { documentChanges } from "./document-changes.ts";

// npm run openapi: writes the document of tracking calls and of calls with a key. `--against <commit>` prints how all
// documents differ from those of the commit.

const { against } = readFlags("Usage: npm run openapi -- [--against <commit>]", { against: { type: "string" } });

if (against === undefined) {
  const file = "docs/openapi.json";
  await mkdir(join(root, "docs"), { recursive: true });
  await writeFile(join(root, file), `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
  console.log(`wrote ${file}`);
} else {
  try {
    console.log((await documentChanges(against)) || `The documents are the same as at ${against}.`);
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
