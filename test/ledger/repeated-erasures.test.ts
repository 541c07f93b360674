import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ErasePersonCall } from "#operations/privacy/erase-person.ts";
import { recordClick } from "#operations/track/record-click.ts";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { createWorld, type World } from "../../harness/world.ts";
import type { Databases } from "../../scripts/database/databases.ts";
import { applyErasures } from "../../scripts/erasures/apply-erasures.ts";
import { auditErasures } from "../../scripts/erasures/audit-erasures.ts";
import { openErasures } from "../../scripts/erasures/erasures-file.ts";
import { writeErasures } from "../../scripts/erasures/write-erasures.ts";
import { clickCall } from "../support/click-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
const secrets = { HASH_SECRET: testSecrets.HASH_SECRET };
const keys = { hashSecret: testSecrets.HASH_SECRET, clickKeys: testClickKeys };
let zebra: string;
let folder: string;
let world: World;
let calls: ReturnType<typeof callsOf>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-erasures-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const begin = async () => {
  calls = callsOf(world, own.proxy.url);
};
beforeEach(async () => {
  world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
  await begin();
  zebra = `zebra-${world.programId}`;
  const more = { eventName: `${zebra} bought`, subscriptionId: `of ${zebra}`, lineItems: `["${zebra} hat"]` };
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], zebra);
  await calls.sale("t1", now - day, { customerKey: zebra, ...more });
  await calls.refund("t1", "amount", { cents: 200, reason: `${zebra} was unhappy` });
  await calls.lead("browser", [calls.click(world.partner, now - 2 * day)], null);
  await calls.sale("t2", now - day, { customerKey: "lion-1" });
});

const databases = (): Databases => [{ shard: 0, url: own.server.url }];
async function erase(key = zebra, more: Partial<ErasePersonCall> = {}) {
  const call: ErasePersonCall = {
    ...{ kind: "erase-person", operationId: randomBytes(8).toString("hex"), at: now + 1, actorId: "owner" },
    ...{ programId: world.programId, keys: [key], emailHash: null, clickId: null, digests: "[]", ...more },
  };
  const erased = await calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome;
  expect(erased).toMatchObject({ ok: true });
}
async function written() {
  const file = join(folder, `${randomBytes(8).toString("hex")}.jsonl`);
  await writeErasures(databases(), { file, secrets, replaces: false });
  return file;
}
const tables = {
  ...{ customers: "*", customer_clicks: "*", leads: "*", sales: "*", commissions: "*", refunds: "*", clicks: "*" },
  ...{ partner_balances: "*", daily_counts: "*", erased_identifiers: "*", erasures: "*" },
  audit_entries: "program_id, operation_id, actor_id, action, subject, before, after, created_at",
};
const stored = async () =>
  Promise.all(
    Object.entries(tables).map(async ([table, columns]) =>
      (await world.rows(`select ${columns} from ${table}`)).map((row) => JSON.stringify({ table, ...row })).toSorted(),
    ),
  );
const naming = async () => (await stored()).flat().filter((row) => row.includes(zebra));
const apply = async (file: string) => applyErasures(databases(), await openErasures(file, secrets), keys);
const audited = async (file: string) =>
  auditErasures(databases(), await openErasures(file, secrets), secrets.HASH_SECRET);

describe("a restored backup from before an erasure", () => {
  test("a restored backup from before an erasure contains the customer, whom the audit reports until the erasure is repeated with the same result", async () => {
    const [copy, fresh] = [await own.server.backup(), await audited(await written())];
    expect(fresh).toEqual([]);
    await erase();
    const [before, file] = [await stored(), await written()];
    await own.server.restore(copy);
    expect((await naming()).length).toBeGreaterThan(3);
    const [found] = await audited(file);
    expect(found).toMatchObject({ broken: "rows of customers or partners who were erased" });
    expect(found?.rows.some((row) => "customers" in row && String(row.receipt).startsWith("erasure_"))).toBe(true);

    expect(await apply(file)).toMatchObject({ applied: 1 });
    expect(await stored()).toEqual(before);
    expect(await naming()).toEqual([]);
    expect(await audited(file)).toEqual([]);
    expect(await apply(file)).toMatchObject({ applied: 0 });
    expect(await stored()).toEqual(before);
    await expectLedgerConsistent(world);
  });

  test("a restored backup from before an erasure contains the erased partner, who is erased again when the erasure is repeated", {
    tags: "soak",
  }, async () => {
    const id = world.partners[1]?.id;
    await world.write(`update partners set name = '${zebra} Ltd', created_at = 1 where id = ${id}`);
    await world.write(`update referral_links set created_at = 1 where partner_id = ${id}`);
    const copy = await own.server.backup();
    const call = {
      ...{ kind: "erase-partner" as const, operationId: randomBytes(8).toString("hex"), at: now, actorId: "owner" },
      ...{ programId: world.programId, partnerId: id ?? 0, writesOff: false },
    };
    expect(await calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome).toMatchObject({ ok: true });
    const file = await written();
    const erased = () => world.rows("select name, erasure_id from partners where id = ?", call.partnerId);
    const before = await erased();
    await own.server.restore(copy);
    expect(await audited(file)).toMatchObject([{ rows: [{ partners: call.partnerId }] }]);
    expect(await apply(file)).toMatchObject({ applied: 1 });
    expect(await erased()).toEqual(before);
    expect(await audited(file)).toEqual([]);
    expect(await apply(file)).toMatchObject({ applied: 0 });
    await expectLedgerConsistent(world);
  });

  test("a restored backup from before an erasure gets only its missing erasures repeated, and a later customer with the same customer_key is kept", {
    tags: "soak",
  }, async () => {
    await erase("lion-1");
    const copy = await own.server.backup();
    await erase();
    await begin();
    await calls.sale("t3", now, { customerKey: zebra, at: now + 2 });
    const [file, later] = [await written(), await own.server.backup()];
    await own.server.restore(copy);
    expect(await apply(file)).toMatchObject({ applied: 1 });
    expect(await naming()).toEqual([]);
    await own.server.restore(later);
    expect(await apply(file)).toMatchObject({ applied: 0 });
    expect(await audited(file)).toEqual([]);
    expect((await naming()).length).toBeGreaterThan(0);
  });

  test("a restored backup from before an erasure gets erasures of clicks without a customer repeated too", {
    tags: "soak",
  }, async () => {
    const visit = clickCall(world, now, { code: world.partner.code });
    expect(await calls.ledger.submit(calls.ledger.taskOf(recordClick, visit, now)).outcome).toMatchObject({ ok: true });
    const [click] = await world.rows("select click_id from clicks where program_id = ?", world.programId);
    const clickId = String(click?.click_id);
    const copy = await own.server.backup();
    await erase("", { keys: [], clickId });
    const [before, file] = [await stored(), await written()];
    expect(before.flat().some((row) => row.includes(clickId))).toBe(false);
    await own.server.restore(copy);
    await apply(file);
    expect(await stored()).toEqual(before);
  });
});

describe("repeating erasures", () => {
  test("repeating erasures after a restore continues at the next attempt if it was interrupted", {
    tags: "soak",
  }, async () => {
    const sales = Array.from({ length: 450 }, (_, i) => `many ${i}`);
    await mapConcurrent(
      sales,
      150,
      (id) => calls.ledger.submit(calls.saleTask(id, now - day, { customerKey: zebra })).outcome,
    );
    const copy = await own.server.backup();
    await erase("lion-1");
    await erase();
    await expect
      .poll(async () => {
        await calls.maintain();
        return naming();
      })
      .toEqual([]);
    const file = await written();
    await own.server.restore(copy);
    await world.write(
      `create trigger refuse_erased before update of is_erased on customers when old.customer_key = '${zebra}' begin select raise(abort, 'no'); end`,
    );
    await expect(apply(file)).rejects.toThrow("could not be repeated (internal). Run again.");
    expect((await naming()).length).toBeGreaterThan(0);
    await world.write("drop trigger refuse_erased");
    await apply(file);
    expect(await naming()).toEqual([]);
    const receipts = await world.rows("select erased_at, asked from erasures where program_id = ?", world.programId);
    expect(receipts.map(({ erased_at, asked }) => [erased_at !== null, asked])).toEqual([
      [true, null],
      [true, null],
    ]);
    await expectLedgerConsistent(world);
  });

  test("repeating erasures rejects a file that is truncated, changed, from another service or from a later release, and changes nothing", async () => {
    const copy = await own.server.backup();
    await erase();
    const file = await written();
    await own.server.restore(copy);
    const before = await stored();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    expect(text).not.toContain(zebra);
    const lines = text.trimEnd().split("\n");
    const spoiled = async (name: string, ...changed: readonly string[]) => {
      const path = join(folder, name);
      await writeFile(path, `${changed.join("\n")}\n`);
      return path;
    };
    const refusals = [
      [await spoiled("cut", ...lines.slice(0, -1)), "is damaged: it is not whole."],
      [
        await spoiled("changed", ...lines.map((line) => line.replace("owner", "other"))),
        "is damaged: it is not whole.",
      ],
      [await spoiled("later", (lines[0] ?? "").replace('Version":1', 'Version":2')), "was written by a later release."],
      [await spoiled("other", "nothing"), "is not a file of erasures."],
      [join(folder, "none"), "can't be read"],
    ] as const;
    for (const [path, message] of refusals) await expect(apply(path), message).rejects.toThrow(message);
    await expect(openErasures(file, { HASH_SECRET: "other" })).rejects.toThrow("was made with another HASH_SECRET");
    expect(await stored()).toEqual(before);
    await expect(writeErasures(databases(), { file, secrets, replaces: false })).rejects.toThrow("--force");
  });
});
