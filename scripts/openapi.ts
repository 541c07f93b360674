import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApiDocument } from "../src/routes/public/openapi.ts";
import { root } from "./root.ts";

// npm run openapi: the description of the public endpoints as a file, for those who generate clients from it.

const file = join(root, "docs/openapi.json");
await mkdir(join(root, "docs"), { recursive: true });
await writeFile(file, `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
console.log("wrote docs/openapi.json");
