import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { guide } from "#routes/docs/guide.ts";
import type { Section } from "../../dashboard/src/guides/section.ts";
import { root } from "../root.ts";
import { unescapeHtml } from "./markdown.ts";

const inline = /<\/?(a|code|em|strong|b|small)\b[^>]*>/g;

const textOf = (html: string): string =>
  unescapeHtml(
    html
      .replaceAll(inline, "")
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );

/** Returns the sections of a page by its headings. The first-level heading stands for the page itself. */
export function sectionsOf(address: string, title: string, html: string): readonly Section[] {
  return html.split(/(?=<h\d id=")/).flatMap((part) => {
    const [whole = "", level, id, heading = ""] = /^<h(\d) id="([^"]*)">(.*?)<\/h\1>/s.exec(part) ?? [];
    if (whole === "") return [];
    const anchor = level === "1" ? "" : `#${id}`;
    return [{ address: address + anchor, title, heading: textOf(heading), text: textOf(part.slice(whole.length)) }];
  });
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
}

/** Returns the sections of the API's page, which contains the calls with a key. */
export async function apiSections(): Promise<readonly Section[]> {
  const text = await readFile(join(root, "docs/openapi.json"), "utf8");
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  const about = String(await guide("https://tributary.example", "https://tributary.example/sdk.tgz"));
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, summary, description = "" }]) => ({
      address: `/docs#${operationId}`,
      title: "API",
      heading: summary,
      text: `${method.toUpperCase()} ${path} ${description}`,
    })),
  );
  return [...sectionsOf("/docs", "API", about), ...calls];
}
