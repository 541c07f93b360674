import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import type { VoidReason } from "#domain/commission.ts";
import "#http/refusal/further-table.ts";
import { entryOf, messageOf } from "#http/refusal/table.ts";
import { refusalExamples } from "#routes/openapi/refusal-examples.ts";
import { signUp } from "../../harness/session.ts";
import { root } from "../../scripts/root.ts";
import { blocksOf, patternOf } from "../support/documents.ts";
import { newIntegrator } from "../support/integrator.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

const local = "http://127.0.0.1:8787";
const pages = [
  "quick-start",
  "integration",
  "attribution",
  "money",
  "corrections",
  "payouts",
  "settlement",
  "going-live",
  "errors",
  "keys",
  "testing",
];
const pageNamed = (name: string) => readFile(join(root, "docs", `${name}.md`), "utf8");

test("the quick start runs unchanged, and prints what the page shows", async () => {
  const { world } = await createProgramFixture({ partners: [{ code: "DEMO" }, {}] });
  const { project, shell, dispose } = await newIntegrator();
  onTestFinished(dispose);

  const page = await pageNamed("quick-start");
  const [start, settings, script, run, said, verify, verified, ask, readiness, install, tag, ...more] = blocksOf(page);
  expect(more).toEqual([]);
  expect(start?.text).toBe("npm ci && npm start\n");
  // Uses the file of this build, which may be newer than the newest release.
  const newest = new RegExp(`${local}/sdk\\.tgz`);
  expect(install?.text).toMatch(newest);
  await shell(install?.text.replace(newest, `${sharedService.url}/${inject("sdk").file}`) ?? "");
  const own = settings?.text.replace(local, sharedService.url).replace("svc_…", world.key);
  await writeFile(join(project, "first-sale.mjs"), script?.text ?? "");
  const output = async (block: string | undefined) => (await shell(`${own}\n${block}`)).trim();
  expect(await output(run?.text)).toMatch(patternOf(said?.text ?? ""));
  expect(await output(verify?.text)).toMatch(patternOf(verified?.text ?? ""));
  expect(await output(ask?.text)).toMatch(patternOf(readiness?.text ?? ""));
  const source = new RegExp(`src="${local}([^"]+)"`).exec(tag?.text ?? "")?.[1];
  expect((await fetch(sharedService.url + source)).headers.get("content-type")).toContain("javascript");
});

test("the commands of the keys page create, replace and end keys, and the service returns the refusal that the page shows", {
  tags: "soak",
}, async () => {
  const owner = await signUp(sharedService.url);
  const { world, api } = await createProgramFixture({ members: [{ user: owner, role: "owner" }] });
  const folder = await mkdtemp(join(tmpdir(), "tributary-keys-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, TRIBUTARY_URL: sharedService.url };
  const blocks = blocksOf(await pageNamed("keys"));
  const aliases = blocks.flatMap(({ text }) => text.match(/^ *alias .*$/gm) ?? []).join("\n");
  const pairs = blocks.flatMap(({ language, text }, i) =>
    language === "sh" ? [[text, blocks[i + 1]?.text ?? ""] as const] : [],
  );
  expect(blocks).toHaveLength(2 * pairs.length);
  /** The programs by their ids in the page. */
  const made = new Map<string, { readonly id: number; readonly apiKey: string }>();
  for (const [command, said] of pairs) {
    const own = command
      .replace("you@shop.example", owner.email)
      .replace(/"password":"…"/, `"password":"${owner.password}"`)
      .replaceAll("programs/1/", `programs/${world.programId}/`)
      .replace(/api-keys\/(\d)/, (_, id) => `api-keys/${made.get(id)?.id}`)
      .replace("svc_…", made.get("2")?.apiKey ?? "");
    const { stdout } = await promisify(execFile)("sh", ["-ec", `${aliases}\n${own}`], { cwd: folder, env });
    expect(stdout.trim()).toMatch(patternOf(said.replaceAll(/"id":\d/g, '"id":…')));
    const [id = ""] = /(?<="id":)\d/.exec(said) ?? [];
    if (said.includes("apiKey")) made.set(id, JSON.parse(/\{"data":.*$/.exec(stdout)?.[0] ?? "").data);
  }
  const tracked = async (id: string) =>
    (await api.lead({ customer_key: "u", additional_data: { test_mode: true } }, { key: made.get(id)?.apiKey })).status;
  expect([await tracked("2"), await tracked("3"), await tracked("4")]).toEqual([200, 401, 200]);
});

test("the commands of the payouts page pay a partner, deduct a refund and record a returned payment", {
  tags: "soak",
}, async () => {
  const owner = await signUp(sharedService.url);
  const { world } = await createProgramFixture({ members: [{ user: owner, role: "owner" }] });
  const folder = await mkdtemp(join(tmpdir(), "tributary-payouts-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: world.key };
  const blocks = blocksOf(await pageNamed("payouts"));
  const aliases = blocks.flatMap(({ text }) => text.match(/^ *alias .*$/gm) ?? []).join("\n");
  /** The ids in the page, with those of this test's program. */
  const ids: Record<string, string> = {
    "programs/1/": `programs/${world.programId}/`,
    '"program_id":1': `"program_id":${world.programId}`,
  };
  const own = (text: string) =>
    Object.entries(ids)
      .reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
      .replace("demo@tributary.example", owner.email)
      .replace(/"password":"…"/, `"password":"${owner.password}"`);
  const learn = (said: string, output: string) => {
    const partner = /"data":\{"id":2,"code"/.test(said) && /"data":\{"id":(\d+)/.exec(output)?.[1];
    const payout = /"data":\{"id":1,"reference"/.test(said) && /"data":\{"id":(\d+)/.exec(output)?.[1];
    const commission = /"commission_id":(\d)/.exec(said)?.[1];
    if (partner)
      Object.assign(ids, {
        "partners/2/": `partners/${partner}/`,
        "lines/2/": `lines/${partner}/`,
        '"partnerId":2': `"partnerId":${partner}`,
        "[2]": `[${partner}]`,
      });
    if (payout) Object.assign(ids, { "payouts/1": `payouts/${payout}` });
    if (commission) ids[`commissions/${commission}/`] = `commissions/${/"commission_id":(\d+)/.exec(output)?.[1]}/`;
  };
  const commands = blocks.filter(({ language }) => language === "sh");
  const shownTexts = blocks.filter(({ language }) => language === "text");
  expect(commands).toHaveLength(shownTexts.length);
  for (const [i, { text }] of commands.entries()) {
    const script = `${aliases}\n${own(text)}`;
    const { stdout } = await promisify(execFile)("sh", ["-ec", script], { cwd: folder, env });
    const said = shownTexts[i]?.text ?? "";
    learn(said, stdout);
    expect(stdout.replaceAll("\r\n", "\n").trim()).toMatch(
      patternOf(
        own(said)
          .replaceAll(/"id":\d/g, '"id":…')
          .replaceAll(/"commission_id":\d/g, '"commission_id":…'),
      ),
    );
  }
});

test("docs/errors.md lists every refusal of the service, and every reason for no commission", async () => {
  const page = await pageNamed("errors");
  for (const refusal of Object.values(refusalExamples)) {
    const message = messageOf(refusal, undefined).replace(/\d{4}-\d\d-\d\d/, "YYYY-MM-DD");
    const row = page
      .split("\n")
      .find((line) => line.startsWith(`| ${entryOf(refusal.code).status} |`) && line.includes(`\`${message}`));
    expect(row, `${entryOf(refusal.code).status} ${message}`).toBeDefined();
  }
  const reasons = {
    no_click: true,
    invalid_click_id: true,
    customer_not_found: true,
    existing_customer: true,
    attribution_window_expired: true,
    no_commission_policy: true,
    partner_inactive: true,
    program_inactive: true,
    commission_duration_over: true,
    recurring_not_covered: true,
    excluded_by_rule: true,
    currency_mismatch: true,
    below_minimum: true,
  } satisfies Record<VoidReason, true>;
  for (const reason of Object.keys(reasons)) expect(page).toContain(`\`${reason}\``);
});

test.each([
  "program_id is required",
  "details.unknown_subscription_id: true",
  'details.reason: "moving"',
  "duplicate refund_id",
  "already refunded",
  "already reversed",
  "older",
  "canceled",
  "one_time_used",
])("docs/errors.md has a remedy for %s", async (text) => {
  const row = (await pageNamed("errors")).split("\n").find((line) => line.includes(`\`${text}\``));
  expect(row?.split(" | ").at(-1)?.length, row).toBeGreaterThan(20);
});

test.each(["sdk/README", "docs/integration", "docs/attribution", "docs/tracker", "docs/going-live", "docs/errors"])(
  "%s says that leads from browsers need customer keys that can't be guessed, or the setting server_required",
  async (name) => {
    const page = await readFile(join(root, `${name}.md`), "utf8");
    expect(page).toMatch(/customer\s+keys\s+must\s+not\s+be\s+guessable/i);
    expect(page).toContain("server_required");
  },
);

test.each(["README", ...pages.map((page) => `docs/${page}`)])("the links of %s work", async (name) => {
  const file = join(root, `${name}.md`);
  const links = [...(await readFile(file, "utf8")).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, to = ""]) => to,
  );
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((to) => !existsSync(join(dirname(file), to)))).toEqual([]);
});
