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
    guides: {
      "quick-start": "Record your first commission in ten minutes, on your own machine.",
      integration:
        "The script on your pages, the sign-up, the checkout and the webhook, in the order that a customer meets them.",
      paddle: "Turn the notifications of Paddle Billing into sales, refunds and chargebacks.",
      "lemon-squeezy": "Turn Lemon Squeezy's webhooks into sales and refunds.",
      polar: "Turn Polar's webhooks into sales and refunds.",
      revenuecat: "Turn RevenueCat's webhooks about purchases in apps into sales and refunds.",
      tracker: "What the script records, its settings, consent and other domains.",
      sdk: "The package for JavaScript servers and pages: calls, retries and payment processors.",
      cli: "Verify, import and explain from a terminal.",
      "other-languages": "Call the API from a language without a package.",
      embed: "A page on which your own users get their link and see what they earn.",
      webhooks: "Learn about commissions, partners and payouts as they change.",
      reconcile: "Compare your processor's payments with the recorded sales, and send what is missing.",
      "going-live": "The steps from a tested integration to the first partner.",
      keys: "A key for each system, with the scopes that it needs, and how to replace one.",
      testing: "The test book, test keys, and tests of your own code.",
    },
  },
  {
    title: "Understand",
    audience: "For owners of a program",
    guides: {
      attribution: "Which partner a customer is attributed to, and why.",
      money: "Which part of a payment earns a commission, and what refunds and currencies change.",
      corrections: "Correct an amount, a customer or a partner that was recorded wrongly.",
      "missing-sales": "Answer a partner who says that a sale is missing.",
      partners: "Partners, their codes, links, pages and payment details.",
      migrate: "Move partners, customers and balances from another program.",
      "import-files": "The files of partners, customers, coupons and balances, column by column.",
      payouts: "From the balance of each partner to the money sent and the statements.",
      settlement: "Let your own system settle payouts as credit or free months, line by line.",
      rules: "Other rates for products, renewals, first months and new customers.",
      tiers: "Other rates and bonuses for partners who sell more.",
      units: "Count rewards in free months or credits instead of money.",
      coupons: "Attribute sales by a code that the customer enters.",
      offers: "Give a discount to customers who come through a partner, at the checkout.",
      risk: "Commissions that are held or flagged for a review, and why.",
      assistants: "Let an assistant read your program and propose changes by MCP.",
      privacy: "Which personal data is stored, for how long, and how to export and erase it.",
      explain: "Find out why a sale earned what it did.",
      errors: "Each refusal of the API, its cause and its remedy.",
    },
  },
  {
    title: "For partners",
    audience: "For partners",
    guides: { "for-partners": "Your links, what you earn, when you are paid, and your data." },
  },
  {
    title: "Operate",
    audience: "For operators of a service",
    guides: {
      "self-hosting": "Run the service on your own server, with one folder of data.",
      mail: "Which emails the service sends, and how to get them delivered.",
      deployment: "Run the service on Cloudflare and Turso.",
      shards: "Distribute programs over several databases.",
      security: "What protects data and keys, and what you have to do.",
      oidc: "Let members sign in at your organization's identity provider.",
      retention: "Which data is removed automatically, and when.",
      metrics: "The metrics of the service, and which of them to watch.",
      backup: "Back up, restore and verify the data of your own server.",
      durability: "What an answered call guarantees, and which test shows it.",
      versioning: "Which changes to expect in which version.",
    },
  },
] as const;

/** The subject of each guide, by the guide's name. */
const leads: ReadonlyMap<string, string> = new Map(groups.flatMap(({ guides }) => Object.entries(guides)));
const names = [...leads.keys()];
const fileOf = (name: string) => (name === "sdk" ? "sdk/README.md" : `docs/${name}.md`);
const addressOf = (name: string) => `${guidesPath}/${name}/`;
const markdownAddressOf = (name: string) => `${guidesPath}/${name}.md`;

/** Returns the address of a link to another guide. Undefined for files of the repository, which aren't served. */
function resolve(href: string): string | undefined {
  if (href.startsWith("#")) return href;
  // The package's README uses an example URL for the service, because it is also read outside of the service.
  if (href.startsWith("https://tributary.example/docs")) return href.replace("https://tributary.example", "");
  if (/^https?:/.test(href)) return href;
  if (href === "openapi.json") return "/api/v1/openapi.json";
  const [, path = "", anchor = ""] = /^(?:\.\.\/)?([^#]+)(#.*)?$/.exec(href) ?? [];
  const name = path === "sdk/README.md" ? "sdk" : /^(?:docs\/)?([\w-]+)\.md$/.exec(path)?.[1];
  return name !== undefined && names.includes(name) ? addressOf(name) + anchor : undefined;
}

interface Guide extends Rendered {
  /** The guide's Markdown, with links to the Markdown of other guides. */
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

/** Returns a list of all guides that says what each is about, in the format of https://llmstxt.org. */
function llmsText(guides: ReadonlyMap<string, Guide>): string {
  const line = (name: string) =>
    `- [${guides.get(name)?.title ?? name}](${markdownAddressOf(name)}): ${leads.get(name) ?? ""}`;
  const lists = groups.map(
    (group) => `## ${group.title}\n\n${group.audience}.\n\n${Object.keys(group.guides).map(line).join("\n")}`,
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

/** Writes each guide as a page, an index of the guides, their style sheet, and their response headers. */
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
    const about = leads.has(name) ? `${aboutOf(name)}\n${html}` : html;
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
  await write(
    "not-found",
    "Not found",
    `<h1>Not found</h1>\n<p>No guide has this address. See <a href="${guidesPath}/">all guides</a>.</p>`,
  );
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
  const audience = groups.find(({ guides }) => name in guides)?.audience ?? "";
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
  const lists = groups.map(
    ({ title, guides }) => `<strong>${title}</strong>\n${Object.keys(guides).map(link).join("\n")}`,
  );
  return [
    ...lists,
    '<strong>Reference</strong>\n<a href="/docs">API</a>',
    '<strong>Tributary</strong>\n<a href="/app/">Dashboard</a>',
  ].join("\n");
}

function indexOf(titles: ReadonlyMap<string, string>): string {
  const item = (name: string) =>
    `<li><a href="${addressOf(name)}">${titleOf(titles, name)}</a><br>${escapeHtml(leads.get(name) ?? "")}</li>`;
  const lists = groups.map(
    ({ title, guides }) => `<h2>${title}</h2>\n<ul>\n${Object.keys(guides).map(item).join("\n")}\n</ul>`,
  );
  return `<h1>Guides</h1>\n${lists.join("\n")}`;
}
