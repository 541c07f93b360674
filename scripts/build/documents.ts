import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { documentFiles, originPlaceholder } from "#http/built-documents.ts";
import { docsPage } from "#routes/docs/page.ts";
import { openApiDocument } from "#routes/openapi/document.ts";
import { embedDocument } from "#routes/openapi/embed-document.ts";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import { partnerDocument } from "#routes/openapi/partner-document.ts";

/**
 * Returns the API's documents and its reference by file, with `originPlaceholder` as the service's URL. `sdk` is the
 * file of the newest SDK.
 */
export async function documentTexts(sdk: string): Promise<ReadonlyMap<string, string>> {
  const tracking = openApiDocument(originPlaceholder);
  return new Map([
    [documentFiles.tracking, JSON.stringify(tracking)],
    [documentFiles.session, JSON.stringify(sessionDocument(originPlaceholder))],
    [documentFiles.partner, JSON.stringify(partnerDocument(originPlaceholder))],
    [documentFiles.embed, JSON.stringify(embedDocument(originPlaceholder))],
    [documentFiles.reference, String(await docsPage(tracking, `${originPlaceholder}/${sdk}`))],
  ]);
}

export async function buildDocuments(publicDirectory: string, sdk: string): Promise<void> {
  for (const [file, text] of await documentTexts(sdk)) {
    const path = join(publicDirectory, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
