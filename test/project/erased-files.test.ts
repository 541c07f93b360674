/** @module-tag soak */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isErasedForm } from "#domain/erasure.ts";
import { type PersonTable, personTables } from "#store/person.ts";
import { personal } from "#store/schema/personal.ts";
import { createApi, type JsonObject, type Reply } from "../../harness/client.ts";
import { signUp } from "../../harness/session.ts";
import { extract, openBackup } from "../../scripts/backup/open-backup.ts";
import { openClient } from "../../scripts/database/client.ts";
import { root } from "../../scripts/root.ts";
import { readRunning } from "../../scripts/service/data-folder.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { eventually } from "../support/isolated-service.ts";
import { tributary } from "../support/tributary.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { keptClicks } from "./backed-up.ts";
import { filesWith } from "./files-with.ts";
import { lockDatabase, start as startIn, stop } from "./started.ts";

const receiver = await webhookReceiver();
const running: ChildProcess[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-erased-"));
});
afterAll(async () => {
  for (const child of running) await stop(child);
  await rm(folder, { recursive: true, force: true });
});

const zebra = "zebra-sentinel";
const key = `${zebra}-key`;
const email = `${zebra}@mail.example`;

/**
 * Columns without a caller's text, location columns, which stay empty on this machine, and one column of leads without
 * a customer.
 */
const derived: Readonly<Partial<Record<PersonTable, readonly string[]>>> = {
  clicks: ["visitor", "country", "region", "city", "deviceType", "os", "browser", "screenResolution", "viewportSize"],
  customers: ["emailHash", "similarHash", "emailMask", "addressMarks", "importedSubscriptionId"],
  leads: ["unresolvedKey"],
  commissionSignals: ["evidence"],
  auditEntries: ["before", "after", "via"],
};

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const commands = blocksOf(readDocument("docs/privacy.md")).slice(-5);

/** Runs the documented command that contains this name, with these paths instead of the documented ones. */
async function documented(name: string, paths: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const words = commands.map(({ text }) => text.trim().split(" "));
  const [, , script = "", ...rest] = words.find((each) => each.includes(name)) ?? [];
  const given = rest.slice(1).map((word) => paths[basename(word)] ?? word);
  const [, verb] = /scripts\/tributary\.ts ?(\S*)$/.exec(scripts[script]) ?? [];
  expect(verb, `npm run ${script}`).toBeDefined();
  return tributary([...(verb ? [verb] : []), ...given, ...more]);
}

test("an erasure removes a customer's data from every file, log and new backup, and from an older backup after it is restored", async () => {
  const [data, restored] = [join(folder, "data"), join(folder, "restored")];
  const [older, newer, erasures] = ["older.tar", "newer.tar", "erasures.jsonl"].map((name) => join(folder, name));
  if (older === undefined || newer === undefined || erasures === undefined) throw new Error("no names");
  const paths = { "erasures.jsonl": erasures, "today.tar": older, "secrets.env": join(data, "dev.vars") };
  const service = await startIn({
    ...{ port: await freePort(), cwd: root, args: ["--data", data], onSpawn: (child) => running.push(child) },
  });
  const owner = await signUp(service.url);
  const post = async (path: string, body: JsonObject) => {
    const reply = await owner.post<{ data: { id: number & string; apiToken: string; receiptId: string } }>(path, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body.data;
  };
  const workspaceId = (await post("/api/workspaces", { name: "Shop" })).id;
  const { id, apiToken } = await post("/api/programs", { workspaceId, name: "Shop", currency: "EUR" });
  const base = `/api/programs/${id}`;
  await post(`${base}/partners`, { name: "Anna", code: "anna" });
  const policy = { type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 };
  expect((await owner.put(`${base}/commission-policy`, policy)).status).toBeLessThan(300);
  await post(`${base}/webhooks`, { url: receiver.url("/hook") });

  const api = createApi(service.url);
  const landing = { affiliate_url: `https://shop.example/?aff=anna&aff_sub=${zebra}`, program_id: id };
  const visit = {
    ...{
      page_url: `https://shop.example/${zebra}?aff=anna`,
      page_title: zebra,
      additional_data: { event_name: zebra },
    },
    ...{ referrer_url: `https://${zebra}.example/`, event_id: `${zebra}-event` },
    ...{ language: zebra, timezone: zebra, session_id: zebra },
  };
  const earlier = await api.click({ ...landing, ...visit, event_id: `${zebra}-earlier` }, { key: apiToken });
  const existing = { existing_click_id: earlier.body.click_id };
  const { body } = await api.click({ ...landing, ...visit, ...existing }, { key: apiToken });
  const clickId = String(body.click_id);
  const sent = async <Body>(reply: Promise<Reply<Body>>) => {
    const { status, text, body: answer } = await reply;
    expect(status, text).toBe(200);
    return answer;
  };
  for (const click_id of [earlier.body.click_id, clickId]) {
    const lead = {
      customer_key: key,
      email,
      click_id,
      additional_data: { event_name: zebra },
      page_url: `https://x.example/${zebra}`,
    };
    await api.lead(lead, { key: apiToken });
  }
  const sale = {
    ...{ transaction_id: `${key}-1`, amount_cents: 4_900, customer_key: key, click_id: clickId, event_name: zebra },
    ...{
      line_items: [{ name: zebra }],
      items: [{ item_id: `${key}-hat`, product_id: "hat", amount_cents: 4_900 }],
      coupon_codes: [`${zebra}10`],
      subscription_id: `${key}-sub`,
    },
    sale_type: "subscription",
  };
  const sold = await sent(api.sale(sale, { key: apiToken }));
  await post(`${base}/commissions/${sold.commission_id}/hold`, { reason: zebra });
  const refund = {
    transaction_id: `${key}-1`,
    refund_id: `${key}-refund`,
    refund_amount_cents: 100,
    refund_reason: zebra,
  };
  await sent(api.refund(refund, { key: apiToken }));

  // The Ledger keeps this click while the database is unreachable.
  const unlock = await lockDatabase(data);
  const kept = await api.click({ ...landing, ...visit, event_id: `${zebra}-kept` });
  expect(await keptClicks(data)).toBe(1);
  expect(await tributary(["backup", older, "--data", data])).toMatchObject({ code: 0 });
  await unlock();
  await eventually(
    () => keptClicks(data),
    (count) => count === 0,
  );
  const keptId = String(kept.body.click_id);
  await sent(api.lead({ customer_key: key, click_id: keptId }, { key: apiToken }));
  await eventually(
    async () => receiver.at("/hook").length,
    (count) => count > 3,
  );

  const { databases: [database] = [] } = (await readRunning(data)) ?? {};
  const client = openClient({ url: database?.url ?? "", authToken: database?.authToken });
  const texts = [zebra, clickId, String(earlier.body.click_id), keptId];
  const uncovered: string[] = [];
  for (const table of personTables) {
    const columns = Object.entries(personal[table]).filter(([, held]) => isErasedForm(held));
    for (const [column] of columns.filter(([name]) => !derived[table]?.includes(name))) {
      const condition = texts.map((_, i) => `instr(lower(${snakeCase(column)}), lower(?${i + 1}))`).join(" or ");
      const sql = `select 1 from ${snakeCase(table)} where ${condition} limit 1`;
      const { rows } = await client.execute({ sql, args: texts });
      if (rows.length === 0) uncovered.push(`${table}.${column}`);
    }
  }
  expect(uncovered, "columns without a sentinel").toEqual([]);

  expect((await filesWith(data, ...texts)).length).toBeGreaterThan(2);
  await post(`${base}/privacy/erase`, { customerKey: key, confirm: true });
  expect(await documented("erasures", paths, "--data", data)).toMatchObject({ code: 0, stderr: "" });
  await stop(service.child);
  expect((await filesWith(data, ...texts)).length).toBeGreaterThan(0);
  expect(await documented("compact", paths, "--data", data)).toMatchObject({ code: 0, stderr: "" });
  expect(await filesWith(data, ...texts)).toEqual([]);

  expect(await tributary(["backup", newer, "--data", data])).toMatchObject({ code: 0 });
  await writeFile(join(folder, "service.log"), service.banner);
  const backups = await filesWith(folder, ...texts);
  expect(backups).toEqual(["older.tar"]);
  expect((await readFile(erasures, "utf8")).split("\n").length).toBeGreaterThan(3);

  const extracted = join(folder, "extracted");
  await extract(await openBackup(older), extracted);
  expect(await keptClicks(extracted)).toBe(1);
  await rm(extracted, { recursive: true });
  const restore = await documented("restore", paths, "--data", restored);
  expect(restore).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Erasures repeated: 1.") });
  expect(await filesWith(restored, ...texts)).toEqual([]);
  expect(await keptClicks(restored)).toBe(1);

  const again = await startIn({
    ...{ port: await freePort(), cwd: root, args: ["--data", restored], onSpawn: (child) => running.push(child) },
  });
  expect(again.banner).toContain("Tributary is ready");
  await eventually(
    () => keptClicks(restored),
    (count) => count === 0,
  );
  const repeated = await documented("after-restore", paths, "--data", restored);
  expect(repeated).toMatchObject({ code: 0, stdout: expect.stringContaining("Erasures repeated: 0.") });
  const audited = await documented("audit", paths, "--data", restored);
  expect(audited).toMatchObject({ code: 0, stdout: expect.stringContaining("What was erased is gone: 1 check.") });
  await stop(again.child);
  expect(await filesWith(restored, ...texts)).toEqual([]);
}, 240_000);
