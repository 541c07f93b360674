import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { pageHeaders } from "#http/page-headers.ts";
import { searchBox, searchScript, searchSections } from "#routes/docs/search-box.ts";
import { style } from "#routes/docs/style.ts";
import { root } from "../root.ts";
import { apiSections, sectionsOf } from "./guide-sections.ts";
import { escapeHtml, type Rendered, renderMarkdown } from "./markdown.ts";

/** The path of docs/*.md in the service, next to the API reference at /docs. */
export const guidesPath = "/docs/guides";

const groups = [
  {
    title: "Integrate",
    audience: "For developers who integrate",
    guides: [
      "quick-start",
      "integration",
      "paddle",
      "lemon-squeezy",
      "polar",
      "revenuecat",
      "tracker",
      "sdk",
      "cli",
      "other-languages",
      "webhooks",
      "going-live",
      "keys",
      "testing",
    ],
  },
  {
    title: "Understand",
    audience: "For whoever runs a program",
    guides: [
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
  },
  { title: "For partners", audience: "For partners", guides: ["for-partners"] },
  {
    title: "Operate",
    audience: "For operators of a service",
    guides: [
      "self-hosting",
      "deployment",
      "shards",
      "security",
      "retention",
      "metrics",
      "backup",
      "durability",
      "versioning",
    ],
  },
] as const;

const names: readonly string[] = groups.flatMap(({ guides }) => guides);
const fileOf = (name: string) => (name === "sdk" ? "sdk/README.md" : `docs/${name}.md`);
const addressOf = (name: string) => `${guidesPath}/${name}/`;
const markdownAddressOf = (name: string) => `${guidesPath}/${name}.md`;

/** The address of a link: another guide's page. Undefined for files of the repository, which aren't served. */
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

interface Guide extends Rendered {
  /** The guide's Markdown, with links to other guides' Markdown. */
  readonly markdown: string;
}

export async function renderGuides(): Promise<ReadonlyMap<string, Guide>> {
  const rendered = names.map(async (name) => {
    const text = await readFile(join(root, fileOf(name)), "utf8");
    return [name, { ...renderMarkdown(text, resolve), markdown: withServedLinks(text) }] as const;
  });
  return new Map(await Promise.all(rendered));
}

function withServedLinks(text: string): string {
  return text.replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (_, label: string, href: string) => {
    const served = resolve(href);
    if (served === undefined) return label;
    return `[${label}](${served.replace(/^(\/docs\/guides\/[\w-]+)\//, "$1.md")})`;
  });
}

/** The contents of each guide, in the format of https://llmstxt.org. */
function llmsText(guides: ReadonlyMap<string, Guide>): string {
  const line = (name: string) => `- [${guides.get(name)?.title ?? name}](${markdownAddressOf(name)})`;
  const lists = groups.map(
    (group) => `## ${group.title}\n\n${group.audience}.\n\n${group.guides.map(line).join("\n")}`,
  );
  const reference = `## Reference\n\n- [OpenAPI document of the calls with a key](/api/v1/openapi.json)\n- [OpenAPI document of the dashboard's calls](/api/openapi.json)\n- [OpenAPI document of the partners' calls](/api/partner/openapi.json)`;
  return `# Tributary\n\n> ${summary}\n\n${[...lists, reference].join("\n\n")}\n`;
}

const summary =
  "Affiliate tracking: records clicks, leads, sales and refunds, decides which partner earned what, and keeps the commissions.";

const ownStyle = `
nav a[aria-current] { color: var(--accent); font-weight: 600 }
main h1 { margin-bottom: 1rem }
.about { margin: 0; font-size: .9em; color: var(--soft) }
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
    const about = name === "" ? html : `${aboutOf(name)}\n${html}`;
    const page = pageOf({
      title,
      html: about,
      navigation: navigation(titles, name),
      sheet: `${guidesPath}/${sheetName}`,
    });
    await writeFile(join(folder, name, "index.html"), page);
  };
  for (const [name, { title, html, markdown }] of guides) {
    await write(name, title, html);
    await writeFile(join(publicDirectory, markdownAddressOf(name)), markdown);
  }
  await writeFile(join(publicDirectory, "llms.txt"), llmsText(guides));
  const sections = [...guides].flatMap(([name, { title, html }]) => sectionsOf(addressOf(name), title, html));
  await writeFile(join(publicDirectory, searchSections), JSON.stringify([...sections, ...(await apiSections())]));
  await buildSearch(join(publicDirectory, searchScript));
  await write("", "Guides", indexOf(titles));
  const headers = Object.entries(pageHeaders).map(([name, value]) => `  ${name}: ${value}\n`);
  const served = `${headers.join("")}  Cache-Control: public, max-age=300, stale-while-revalidate=86400\n`;
  for (const path of [`${guidesPath}/*`, "/llms.txt"]) {
    await appendFile(join(publicDirectory, "_headers"), `\n${path}\n${served}`);
  }
}

async function buildSearch(outfile: string): Promise<void> {
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["dashboard/src/guides/search.ts"],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
}

function aboutOf(name: string): string {
  const audience = groups.find(({ guides }) => guides.some((guide) => guide === name))?.audience ?? "";
  return `<p class="about">${audience} · <a href="${markdownAddressOf(name)}">Markdown</a></p>`;
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
${searchBox}
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
  const lists = groups.map(({ title, guides }) => `<strong>${title}</strong>\n${guides.map(link).join("\n")}`);
  return [
    ...lists,
    '<strong>Reference</strong>\n<a href="/docs">API</a>',
    '<strong>Tributary</strong>\n<a href="/app/">Dashboard</a>',
  ].join("\n");
}

function indexOf(titles: ReadonlyMap<string, string>): string {
  const item = (name: string) => `<li><a href="${addressOf(name)}">${titleOf(titles, name)}</a></li>`;
  const lists = groups.map(({ title, guides }) => `<h2>${title}</h2>\n<ul>\n${guides.map(item).join("\n")}\n</ul>`);
  return `<h1>Guides</h1>\n${lists.join("\n")}`;
}
