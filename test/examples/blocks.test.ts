import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Script } from "node:vm";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { root } from "../../scripts/root.ts";
import { answer, serverThat } from "../sdk/server-that.ts";
import { sampled } from "../support/breadth.ts";
import { type Block, blocksOf, documents, readDocument } from "../support/documents.ts";
import { type Integrator, integratorWithSdk } from "../support/integrator.ts";
import { whyNot } from "../support/interpreters.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

// The list states how each code block of the documents is tested, in their order. A block without an entry fails.

/** Another test file runs the block or compares it with the document. */
type Elsewhere = `by ${string}`;
/**
 * "run": this file runs the block. "parse": this file only parses it, because running it needs root, an account or a
 * separate service.
 */
type Way = Elsewhere | "run" | "parse" | "drawing";

const times = (count: number, way: Way): Way[] => Array.from({ length: count }, () => way);

const ways: Readonly<Record<string, readonly Way[]>> = {
  "README.md": ["parse", "by project/start"],
  "docs/architecture.md": ["drawing"],
  "docs/assistants.md": ["parse", "run"],
  "docs/attribution.md": times(5, "by examples/guides"),
  "docs/audit.md": ["parse", "by project/audit-page"],
  "docs/backup.md": [...times(7, "parse"), "by project/image"],
  "docs/cli.md": [
    ...(["run", "by project/sdk-download", "run", "by sdk/doctor", "run", "by sdk/explain"] as const),
    ...times(2, "by sdk/requests"),
    ...times(2, "by sdk/listen"),
    "run",
  ],
  "docs/corrections.md": ["parse", ...times(5, "by examples/guides")],
  "docs/coupons.md": ["by examples/guides", "by examples/guides", "parse"],
  "docs/deployment.md": times(5, "parse"),
  "docs/durability.md": times(2, "parse"),
  "docs/embed.md": times(8, "by examples/embed"),
  "docs/errors.md": times(2, "parse"),
  "docs/explain.md": times(2, "run"),
  "docs/going-live.md": times(3, "run"),
  "docs/integration.md": ["drawing", "parse", "parse", ...times(4, "by examples/guides")],
  "docs/keys.md": times(10, "by examples/docs"),
  "docs/lemon-squeezy.md": times(2, "by examples/processors"),
  "docs/metrics.md": times(3, "parse"),
  "docs/migrate.md": times(3, "parse"),
  "docs/missing-sales.md": times(6, "by examples/missing-sales-guide"),
  "docs/money.md": times(5, "by examples/guides"),
  "docs/offers.md": ["by examples/guides", "parse"],
  "docs/oidc.md": ["parse"],
  "docs/other-languages.md": times(9, "by examples/other-languages"),
  "docs/paddle.md": times(2, "by examples/processors"),
  "docs/partners.md": times(4, "parse"),
  "docs/payouts.md": times(20, "by examples/docs"),
  "docs/polar.md": times(2, "by examples/processors"),
  "docs/privacy.md": [...times(4, "parse"), ...times(5, "by project/erased-files")],
  "docs/quick-start.md": times(11, "by examples/docs"),
  "docs/reconcile.md": times(8, "by examples/reconcile"),
  "docs/revenuecat.md": ["by examples/processors"],
  "docs/rules.md": [...times(2, "by contract/rules"), ...times(2, "by contract/simulate"), ...times(2, "parse")],
  "docs/security.md": times(2, "parse"),
  "docs/self-hosting.md": [
    ...times(2, "parse"),
    "by project/package-run",
    ...times(10, "parse"),
    "by project/proxies",
    ...times(6, "parse"),
    ...times(2, "by project/package-run"),
    "parse",
  ],
  "docs/settlement.md": times(16, "by examples/settlement-guide"),
  "docs/shards.md": times(7, "parse"),
  "docs/testing.md": [...times(4, "by examples/guides"), "run"],
  "docs/tiers.md": ["by contract/tiers", "parse", ...times(2, "by contract/bonuses")],
  "docs/tracker.md": [...times(11, "parse"), "drawing", "by project/build"],
  "docs/units.md": times(2, "parse"),
  "docs/webhooks.md": times(11, "by examples/webhooks"),
  "examples/agent/README.md": ["parse"],
  "examples/embed/README.md": times(2, "parse"),
  "examples/express/README.md": times(2, "parse"),
  "examples/hono/README.md": times(2, "parse"),
  "examples/next/README.md": times(2, "parse"),
  "sdk/README.md": ["by project/sdk-download", ...times(17, "by sdk/package"), "run"],
};

/** Blocks of the other documents run only in the soak. */
const ranAlways = "docs/explain.md";

let integrator: Integrator;
beforeAll(async () => {
  integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
});
afterAll(() => integrator.dispose());

const dayMs = 86_400_000;
type Substitute = readonly [RegExp, string | ((all: string, part: string) => string)];

/** Opens the reader's own program, with the values that replace the documents' placeholders. */
async function openShop() {
  const owner = await signUp(sharedService.url);
  const shop = await createProgramFixture({
    partners: [{ code: "anna" }, {}],
    members: [{ user: owner, role: "owner" }],
  });
  const { programId, key } = shop.world;
  for (const transaction_id of ["in_1042", "order-17"]) await shop.sale({ transaction_id, customer_key: "user_17" });
  const tag = `<script async src="${sharedService.url}/js/svc-tracker.js" data-svc-program-id="${programId}"></script>`;
  const past = join(integrator.project, "past.jsonl");
  for (const file of [past, `${past}.progress`]) await rm(file, { force: true });
  await writeFile(past, '{"type":"lead","customer_key":"user-9"}\n');
  const { url: page } = await serverThat(answer(200, tag, { "content-type": "text/html" }));
  const substitutes: readonly Substitute[] = [
    [/https:\/\/tributary\.example|http:\/\/127\.0\.0\.1:8787/g, sharedService.url],
    [/svc_…/g, key],
    [/demo@tributary\.example/g, owner.email],
    [/"password":"…"/g, `"password":"${owner.password}"`],
    [/(programs|performance|events|run-verification)\/1\b/g, `$1/${programId}`],
    // With --watch, the command would wait for a sale.
    [/readiness --watch/g, "readiness"],
    // Exit code 1 is expected, because parts of the integration are still missing.
    [/^(npx \S+ \S+ (?:doctor|readiness)[^#\n]*)(#.*)?$/gm, "$1 || [ $? = 1 ]"],
    [/--page https:\/\/shop\.example\//g, `--page ${page}/`],
    [/\d{4}-\d\d-0(\d)T/g, (_, day) => new Date(Date.now() - (9 - +day) * dayMs).toISOString().slice(0, 11)],
  ];
  const own = (text: string): string =>
    substitutes.reduce((changed, [from, to]) => changed.replace(from, to as string), text);
  return { own, env: { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: key } };
}

/** Runs a block. A JSON block becomes `past.jsonl`, which the page imports. */
async function run({ language, text }: Block, { own, env }: Awaited<ReturnType<typeof openShop>>): Promise<void> {
  if (language === "json") return writeFile(join(integrator.project, "past.jsonl"), own(text));
  expect(language).toBe("sh");
  // Replaces npx, which takes three times as long as the command that it finds. sdk/package and project/sdk-download
  // run the real npx.
  const npx = "npx() { test $1 = --no-install; shift; node_modules/.bin/$@; }\n";
  await integrator.shell(npx + own(text), { env });
}

const scripts = (html: string) => [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = ""]) => code);

const parsers: Readonly<Record<string, (text: string) => void>> = {
  // <release> is a placeholder for the reader's own value.
  sh: (text) => void execFileSync("sh", ["-n"], { input: text.replaceAll(/<(\w+)>/g, "$1") }),
  js: (text) => void new Script(`(async () => {${text}\n})`),
  // One document, or one in each line.
  json: (text) => void (text.startsWith("{\n") ? [text] : text.trim().split("\n")).map((each) => JSON.parse(each)),
  html(html) {
    for (const code of scripts(html)) new Script(code);
    expect(html).toMatch(/<script async src="\S+\.js"\s[^>]*data-svc-program-id="1"><\/script>/);
  },
  cron(text) {
    const [, command = ""] = /^(?:\S+ ){5}(.+)\n$/.exec(text) ?? [];
    expect(command).not.toBe("");
    parsers.sh?.(command.replaceAll("\\%", "%"));
  },
  ini(text) {
    const lines = text.replaceAll("\\\n", "").trim().split("\n");
    expect(lines.filter((line) => !/^(\[[A-Z]\w+\]|#.*|[A-Z]\w+=.*|)$/.test(line))).toEqual([]);
  },
  yaml: (text) => expect(text).toMatch(/^\w+:\n( +(- )?\w+:.*\n)+$/),
  toml: (text) => expect(Object.keys(parse(text))).not.toEqual([]),
  nginx: balanced,
  caddy: balanced,
};

function balanced(text: string): void {
  const lines = text.trim().split("\n");
  expect(lines.filter((line) => !/[;{}]$|^\t*\w+ /.test(line))).toEqual([]);
  expect(text.match(/\{(?!\w)/g)?.length).toBe(text.match(/(?<!\w)\}/g)?.length);
}

test("the list of tested documents contains every document with code blocks", () => {
  expect(documents.filter((path) => blocksOf(readDocument(path)).length > 0)).toEqual(Object.keys(ways));
});

describe.each(Object.entries(ways))("the document %s", (path, each) => {
  const blocks = blocksOf(readDocument(path));

  test("each document declares how each of its code blocks is tested", () => {
    expect(blocks.map(({ line, language }, i) => `${line} ${language}: ${each[i]}`)).toHaveLength(each.length);
    expect(blocks.filter(({ language }, i) => each[i] === "parse" && !parsers[language])).toEqual([]);
    const drawings = blocks.filter((_, i) => each[i] === "drawing");
    expect(drawings.filter(({ language }) => language !== "text")).toEqual([]);
    for (const way of new Set(each.filter((one) => one.startsWith("by ")))) {
      const file = join(root, "test", `${way.slice(3)}.test.ts`);
      expect(existsSync(file), file).toBe(true);
    }
  });

  test.each(blocks.filter((_, i) => each[i] === "parse"))(
    "each document has a valid $language block on line $line",
    ({ language, text }) => {
      parsers[language]?.(text);
    },
  );

  const runs = blocks.filter((_, i) => each[i] === "run");
  const testRuns = runs.length > 0 ? test : test.skip;
  testRuns("every runnable block runs", path === ranAlways || runs.length === 0 ? {} : { tags: "soak" }, async () => {
    const shop = await openShop();
    for (const block of runs) await run(block, shop);
  });
});

describe("blocks checked by the program that reads them", () => {
  const unit = blocksOf(readDocument("docs/self-hosting.md")).find(({ text }) => text.includes("[Service]"));

  test.skipIf(whyNot("systemd-analyze"))("systemd accepts the unit in the self-hosting guide", async () => {
    const file = join(integrator.project, "tributary.service");
    await writeFile(file, unit?.text ?? "");
    expect(await integrator.shell(`systemd-analyze verify ${file} 2>&1 || true`)).not.toMatch(/tributary\.service:\d+/);
  });

  const nginx = ["docs/self-hosting.md", "docs/tracker.md"].flatMap((path) =>
    blocksOf(readDocument(path)).filter(({ language }) => language === "nginx"),
  );
  test.skipIf(whyNot("nginx", "-v")).each(nginx)("nginx accepts the configurations in the guides", async ({ text }) => {
    const file = join(integrator.project, "nginx.conf");
    const location = text.includes("location") ? text : `location / { ${text} }`;
    const server = `server { ${location.replaceAll("tributary.example", "127.0.0.1")} }`;
    // By default, nginx opens files that only root may write.
    await writeFile(file, `pid ${integrator.project}/nginx.pid; events {} http { access_log off; ${server} }`);
    await integrator.shell(`nginx -t -q -c ${file} -e ${integrator.project}/error.log`);
  });

  test.skipIf(whyNot("caddy", "version"))("Caddy accepts the configuration in the self-hosting guide", async () => {
    const caddy = blocksOf(readDocument("docs/self-hosting.md")).find(({ language }) => language === "caddy");
    await writeFile(join(integrator.project, "Caddyfile"), caddy?.text ?? "");
    await integrator.shell("caddy adapt --config Caddyfile");
  });
});

describe("the page /docs", () => {
  const unescaped = (html: string) =>
    html
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");

  test("the first code block of the page /docs tracks a visitor up to a commission, and the other blocks run or are JSON", async () => {
    const html = await (await fetch(`${sharedService.url}/docs`)).text();
    const blocks = [...html.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, text = ""]) => unescaped(text));
    const [start = "", install = "", explain = "", command = "", ...operations] = blocks;
    const fixture = await createProgramFixture({ partners: [{ code: "anna" }, {}] });
    const { key, programId } = fixture.world;
    const mine = { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: key };
    const code = start.replace("svc_…", key).replace("PROGRAM=1", `PROGRAM=${programId}`);
    expect(await integrator.shell(code, { env: mine })).toMatch(/"click_id".*\n.*"attributed":true.*\n.*\n.*\n$/);
    const unknown = await integrator.shell(code.replace("CODE=anna", "CODE=nobody"), { env: mine });
    expect(unknown).toMatch(/^.*"Referral link not found".*\n/);
    expect(await integrator.shell(explain, { env: mine })).toContain('"commission_cents":800');
    expect(await integrator.shell(command, { env: mine })).toContain("Partner anna earned");
    parsers.sh?.(install);
    expect(operations.length).toBeGreaterThan(50);
    const calls = operations.filter((text) => text.startsWith("curl "));
    const tried = sampled(calls, 15);
    const quiet = tried.map((call) => `${call} -s -o /dev/null -w '%{http_code}\\n'`).join("\n");
    const statuses = (await integrator.shell(quiet, { env: mine })).trim().split("\n");
    expect(statuses).toHaveLength(tried.length);
    expect(statuses.filter((status) => !/^[24]/.test(status))).toEqual([]);
    for (const text of operations.filter((each) => !calls.includes(each))) JSON.parse(text);
  });
});
