import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { noVisit } from "#api/verification/synthetic-events.ts";
import type { ErasePersonCall } from "#operations/privacy/erase-person.ts";
import { recordClick } from "#operations/track/record-click.ts";
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
import { rowsNaming } from "../support/rows-naming.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
const secrets = { HASH_SECRET: testSecrets.HASH_SECRET };
let folder: string;
let world: World;
let calls: ReturnType<typeof callsOf>;
let zebra: string;
let click: ReturnType<typeof calls.click>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-shared-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  world = await createWorld(own.server.url, {
    partners: [{}, {}],
    policies: [{ scope: "lifetime", holdDays: 0 }],
    program: { blockedHosts: '["bad.example"]' },
  });
  calls = callsOf(world, own.proxy.url);
  zebra = `zebra-${world.programId}`;
  const at = now - 3 * day;
  const visit = { ...noVisit, source: "browser", referrerUrl: "https://bad.example/x" } as const;
  const call = clickCall(world, at, { occurredAt: at, sub: "campaign7", visit });
  await calls.ledger.submit(calls.ledger.taskOf(recordClick, call, now)).outcome;
  const [row] = await world.rows(
    "select click_id, occurred_at as at from clicks where program_id = ?",
    world.programId,
  );
  click = { ...calls.click(world.partner, Number(row?.at)), clickId: String(row?.click_id) };
});

async function erase(key: string | null, more: Partial<ErasePersonCall> = {}) {
  const call: ErasePersonCall = {
    ...{ kind: "erase-person", operationId: randomBytes(8).toString("hex"), at: now + 1, actorId: "owner" },
    ...{ programId: world.programId, keys: key === null ? [] : [key], emailHash: null, clickId: null, digests: "[]" },
    ...more,
  };
  return calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome;
}
const databases = (): Databases => [{ shard: 0, url: own.server.url }];
async function written() {
  const file = join(folder, `${randomBytes(8).toString("hex")}.jsonl`);
  await writeErasures(databases(), { file, secrets, replaces: false });
  return openErasures(file, secrets);
}
const erased = () =>
  world.rows("select id, is_erased from customers where program_id = ? order by id", world.programId);
const byClick = () => ({ customerKey: null, clicks: [click], clickId: click.clickId, sentClickId: true });

describe("a click that two customers have used", () => {
  test("a click that two customers have used keeps attributing the other customer's sales until that customer is erased as well", async () => {
    const lion = `lion-${world.programId}`;
    await calls.lead("key", [click], zebra);
    await calls.lead("key", [click], lion);
    await calls.sale("z1", now - day, { customerKey: zebra });
    await calls.sale("l1", now - day, { customerKey: lion, amountCents: 2_000 });
    const row = () => world.rows("select * from clicks where program_id = ?", world.programId);
    const before = await row();
    expect(await erase(zebra)).toMatchObject({ ok: true });
    expect(await row()).toEqual(before);
    expect(await rowsNaming(world, zebra)).toEqual([]);
    await calls.sale("l2", now, { customerKey: lion, amountCents: 3_000 });
    const ofLion = await world.rows(
      `select c.sub, c.held_at is not null as held from commissions c join sales s on s.id = c.sale_id
       where s.transaction_id in ('l1', 'l2') and c.program_id = ?`,
      world.programId,
    );
    expect(ofLion).toEqual([
      { sub: "campaign7", held: 1 },
      { sub: "campaign7", held: 1 },
    ]);
    await expectLedgerConsistent(world);
    expect(await auditErasures(databases(), await written(), secrets.HASH_SECRET)).toEqual([]);
    expect(await erase(lion, { at: now + 3 })).toMatchObject({ ok: true });
    expect(await rowsNaming(world, click.clickId, lion)).toEqual([]);
    await expectLedgerConsistent(world);
  });

  test("a click that two customers have used keeps identifying a customer without a key after the other one is erased, also after a restore", async () => {
    await calls.lead("key", [], zebra);
    await calls.lead("browser", [click], null);
    await calls.lead("key", [click], zebra);
    const copy = await own.server.backup();
    expect(await erase(zebra)).toMatchObject({ ok: true });
    const after = await erased();
    expect(after.map((row) => row.is_erased)).toEqual([1, 0]);
    const file = await written();
    expect(await auditErasures(databases(), file, secrets.HASH_SECRET)).toEqual([]);
    await own.server.restore(copy);
    await applyErasures(databases(), file, { hashSecret: testSecrets.HASH_SECRET, clickKeys: testClickKeys });
    expect(await erased()).toEqual(after);
    await expectLedgerConsistent(world);
  });

  test("an erasure by a click that several customers have used erases the only one without a key, and is refused if all have keys", async () => {
    for (const i of [1, 2, 3]) await calls.lead("key", [click], `${zebra} ${i}`);
    const before = await erased();
    expect(await erase(null, { clickId: click.clickId })).toMatchObject({ refusal: { code: "several_customers" } });
    expect(await erased()).toEqual(before);
    await calls.sale("t1", now, byClick());
    expect(await erase(null, { clickId: click.clickId })).toMatchObject({
      ok: true,
      answer: { rows: { customers: 1 } },
    });
    expect((await erased()).map((row) => row.is_erased)).toEqual([0, 0, 0, 1]);
    await expectLedgerConsistent(world);
  });

  test("an erasure by a click finds no customer in another program", async () => {
    const other = await createWorld(own.server.url, { partners: [{}] });
    const call = { programId: other.programId, clickId: click.clickId };
    expect(await erase(null, call)).toMatchObject({ refusal: { code: "person_not_found" } });
  });
});
