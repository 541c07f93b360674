import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../root.ts";
import { withRules } from "./meanings/page.ts";

const page = "docs/audit.md";

await writeFile(join(root, page), withRules(await readFile(join(root, page), "utf8")));
console.log(`wrote ${page}`);
