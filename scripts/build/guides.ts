import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pageHeaders } from "#http/page-headers.ts";
import { style } from "#routes/public/docs/style.ts";
import { root } from "../root.ts";
import { escapeHtml, type Rendered, renderMarkdown } from "./markdown.ts";

/** Where the service serves docs/*.md, beside the API reference at /docs. */
export const guidesPath = "/docs/guides";

const groups = [
  ["Integrate", ["quick-start", "integration", "tracker", "sdk", "cli", "webhooks", "going-live", "keys", "testing"]],
  [
    "Understand",
    [
      "attribution",
      "money",
      "corrections",
      "partners",
      "migrate",
      "import-files",
      "payouts",
      "rules",
      "coupons",
      "risk",
      "privacy",
      "explain",
      "errors",
    ],
  ],
  ["For partners", ["for-partners"]],
  [
    "Operate",
    ["self-hosting", "deployment", "shards", "security", "retention", "metrics", "backup", "durability", "versioning"],
  ],
] as const;

const names: readonly string[] = groups.flatMap(([, each]) => each);
const fileOf = (name: string) => (name === "sdk" ? "sdk/README.md" : `docs/${name}.md`);
const addressOf = (name: string) => `${guidesPath}/${name}/`;

/** Links to other guides lead to their pages. Files of the repository aren't served: only their names remain. */
function resolve(href: string): string | undefined {
  if (href.startsWith("#")) return href;
  // The package's README, which is read without the documents too, names the service by its example address.
  if (href.startsWith("https://tributary.example/docs")) return href.replace("https://tributary.example", "");
  if (/^https?:/.test(href)) return href;
  if (href === "openapi.json") return "/api/v1/openapi.json";
  const [, path = "", anchor = ""] = /^(?:\.\.\/)?([^#]+)(#.*)?$/.exec(href) ?? [];
  const name = path === "sdk/README.md" ? "sdk" : /^(?:docs\/)?([\w-]+)\.md$/.exec(path)?.[1];
  return name !== undefined && names.includes(name) ? addressOf(name) + anchor : undefined;
}

export async function renderGuides(): Promise<ReadonlyMap<string, Rendered>> {
  const rendered = names.map(async (name) => {
    const text = await readFile(join(root, fileOf(name)), "utf8");
    return [name, renderMarkdown(text, resolve)] as const;
  });
  return new Map(await Promise.all(rendered));
}

const ownStyle = `
nav a[aria-current] { color: var(--accent); font-weight: 600 }
main h1 { margin-bottom: 1rem }
main ul, main ol { padding-inline-start: 1.4rem } main li { margin: .35rem 0 }
pre > code { font-size: 1em }
@media (max-width: 60rem) { nav { columns: 2 14rem } }
@media (max-width: 40rem) { td:first-child { font-weight: 600 } }
`;

/** Writes each guide as a page, an index of them, their style sheet, and the headers they are served with. */
export async function buildGuides(publicDirectory: string): Promise<void> {
  const folder = join(publicDirectory, guidesPath);
  const sheet = style + ownStyle;
  const sheetName = `style-${createHash("sha256").update(sheet).digest("hex").slice(0, 12)}.css`;
  const guides = await renderGuides();
  const titles = new Map([...guides].map(([name, { title }]) => [name, title]));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, sheetName), sheet);
  const write = async (name: string, title: string, html: string) => {
    await mkdir(join(folder, name), { recursive: true });
    const page = pageOf({ title, html, navigation: navigation(titles, name), sheet: `${guidesPath}/${sheetName}` });
    await writeFile(join(folder, name, "index.html"), page);
  };
  for (const [name, { title, html }] of guides) await write(name, title, html);
  await write("", "Guides", indexOf(titles));
  const headers = Object.entries(pageHeaders).map(([name, value]) => `  ${name}: ${value}\n`);
  await appendFile(
    join(publicDirectory, "_headers"),
    `\n${guidesPath}/*\n${headers.join("")}  Cache-Control: public, max-age=300, stale-while-revalidate=86400\n`,
  );
}

interface Page {
  readonly title: string;
  readonly html: string;
  readonly navigation: string;
  readonly sheet: string;
}

const pageOf = ({ title, html, navigation, sheet }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Tributary</title>
<link rel="stylesheet" href="${sheet}">
</head>
<body>
<div class="page">
<nav aria-label="Guides">
${navigation}
</nav>
<main>
${html}
</main>
</div>
</body>
</html>
`;

const titleOf = (titles: ReadonlyMap<string, string>, name: string): string => escapeHtml(titles.get(name) ?? name);

function navigation(titles: ReadonlyMap<string, string>, current: string): string {
  const link = (name: string) =>
    `<a href="${addressOf(name)}"${name === current ? ' aria-current="page"' : ""}>${titleOf(titles, name)}</a>`;
  const lists = groups.map(([group, each]) => `<strong>${group}</strong>\n${each.map(link).join("\n")}`);
  return [
    ...lists,
    '<strong>Reference</strong>\n<a href="/docs">API</a>',
    '<strong>Tributary</strong>\n<a href="/app/">Dashboard</a>',
  ].join("\n");
}

function indexOf(titles: ReadonlyMap<string, string>): string {
  const item = (name: string) => `<li><a href="${addressOf(name)}">${titleOf(titles, name)}</a></li>`;
  const lists = groups.map(([group, each]) => `<h2>${group}</h2>\n<ul>\n${each.map(item).join("\n")}\n</ul>`);
  return `<h1>Guides</h1>\n${lists.join("\n")}`;
}
