import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApiDocument } from "#routes/openapi/document.ts";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import { partnerDocument } from "#routes/openapi/partner-document.ts";
import { root } from "../root.ts";

const documents = {
  "docs/openapi.json": openApiDocument(),
  "docs/openapi-session.json": sessionDocument(),
  "docs/openapi-partner.json": partnerDocument(),
};

await mkdir(join(root, "docs"), { recursive: true });
for (const [file, document] of Object.entries(documents)) {
  await writeFile(join(root, file), `${JSON.stringify(document, undefined, 2)}\n`);
  console.log(`wrote ${file}`);
}
