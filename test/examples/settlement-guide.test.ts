import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { root } from "../../scripts/root.ts";
import { TributaryProgram } from "../../sdk/src/program.ts";
import { creditStripeBalance } from "../../sdk/src/stripe.ts";
import { FakeStripe } from "../sdk/fake-settlement.ts";
import { blocksOf } from "../support/documents.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

const run = promisify(execFile);

/** Returns a pattern for the text, in which … matches anything and row ids may differ. */
const shown = (text: string) => {
  const general = text.trim().replaceAll(/"(id|line_id|partner_id)":\d+/g, '"$1":…');
  return new RegExp(`^${general.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*?")}$`, "s");
};

type Snippet = (...args: readonly unknown[]) => Promise<{ ok: boolean; settled: number }>;
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (...args: string[]) => Snippet;

test("the commands and the code of the settlement guide settle a payout, and print what the page shows", async () => {
  const owner = await signUp(sharedService.url);
  const { world } = await createProgramFixture({ members: [{ user: owner, role: "owner" }] });
  const folder = await mkdtemp(join(tmpdir(), "tributary-settlement-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, TRIBUTARY_URL: sharedService.url };
  const blocks = blocksOf(await readFile(join(root, "docs/settlement.md"), "utf8"));
  const ids = async () => {
    const { partners, payouts, lines } = await world.allRows({
      partners: "select id from partners where program_id = ? and name in ('Anna', 'Ben') order by id",
      payouts: "select id from payouts where program_id = ? order by id",
      lines: "select id from payout_lines where program_id = ? order by id",
    });
    const idOf = (rows: readonly { readonly id?: unknown }[], i: number) => String(rows[i]?.id ?? 0);
    return { partners, payouts, lines, idOf };
  };
  const own = async (text: string) => {
    const { partners, payouts, lines, idOf } = await ids();
    return text
      .replaceAll("programs/1/", `programs/${world.programId}/`)
      .replaceAll(/partners\/(\d)\//g, (_, n) => `partners/${idOf(partners, Number(n) - 2)}/`)
      .replaceAll(/payouts\/1\b/g, `payouts/${idOf(payouts, 0)}`)
      .replaceAll(/lines\/(\d)\//g, (_, n) => `lines/${idOf(lines, Number(n) - 1)}/`)
      .replace("demo@tributary.example", owner.email)
      .replace(/"password":"…"/, `"password":"${owner.password}"`);
  };
  const aliases = 'SETTLE_KEY=$(sed \'s/.*"apiKey":"\\([^"]*\\)".*/\\1/\' key.json 2> /dev/null || true)\n'.concat(
    blocks.flatMap(({ text }) => text.match(/^alias .*$/gm) ?? []).join("\n"),
  );
  for (const [i, { language, text }] of blocks.entries()) {
    if (language !== "sh") continue;
    // The commands run one after the other, because each needs the rows that earlier ones created.
    let output = "";
    for (const line of text.trim().split("\n")) {
      const { stdout } = await run("sh", ["-ec", `${aliases}\n${await own(line)}`], { cwd: folder, env });
      output += stdout;
    }
    expect(output.trim()).toMatch(shown(blocks[i + 1]?.text ?? ""));
  }

  const [code] = blocks.filter(({ language }) => language === "ts");
  const key = JSON.parse(await readFile(join(folder, "key.json"), "utf8")).data.apiKey as string;
  const program = `/api/programs/${world.programId}`;
  const [anna] = (await ids()).partners;
  const finalPayout = async (amountCents: number, reference: string) => {
    const more = { amountCents, currency: "EUR", reason: "More", reference };
    expect((await owner.post(`${program}/partners/${anna?.id}/adjustments`, more)).status).toBe(201);
    const created = await owner.post<{ data: { id: number } }>(`${program}/payouts`, {
      currency: "EUR",
      settledBy: "api",
    });
    const { id } = created.body.data;
    expect((await owner.post(`${program}/payouts/${id}/finalize`, {})).status).toBe(200);
    return id;
  };
  const id = await finalPayout(700, "b");
  const body = `${code?.text.replaceAll(/^import .*$/gm, "").replace("settlePayout(1,", `settlePayout(${id},`)}\nreturn done;`;
  const snippet = new AsyncFunction(
    "TributaryProgram",
    "creditStripeBalance",
    "Stripe",
    "stripeCustomerOf",
    "process",
    body,
  );
  class Tributary extends TributaryProgram {
    constructor() {
      super({ apiKey: key, baseUrl: sharedService.url });
    }
  }
  const stripe = new FakeStripe();
  const done = await snippet(
    Tributary,
    creditStripeBalance,
    function Stripe() {
      return stripe;
    },
    (id: string) => `cus_${id}`,
    { env: {} },
  );
  expect(done).toMatchObject({ ok: true, settled: 1 });
  expect(stripe.calls).toEqual([["cus_user-1", expect.objectContaining({ amount: -700 }), expect.anything()]]);

  const [other] = blocks.filter(({ language }) => language === "js");
  const next = await finalPayout(300, "c");
  const settleOthers = new AsyncFunction(
    "tributary",
    "billing",
    `${other?.text.replace("settlePayout(1,", `settlePayout(${next},`).replace("await tributary", "return tributary")}`,
  );
  const credits: { readonly id: string; readonly reference: string }[] = [];
  const billing = {
    credits: async (of: { reference: string }) => credits.filter(({ reference }) => reference === of.reference),
    credit: async (_line: object, { reference }: { reference: string }) => {
      credits.push({ id: `credit-${credits.length + 1}`, reference });
      throw new Error("the job dies before the report");
    },
  };
  expect(await settleOthers(new Tributary(), billing)).toMatchObject({ ok: false, settled: 0 });
  expect((await owner.post(`${program}/payouts/${next}/cancel`, {})).status).toBe(200);
  expect(await settleOthers(new Tributary(), billing)).toMatchObject({ ok: true, settled: 1, late: 1 });
  expect(credits).toHaveLength(1);
});
