import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { personReads, personSize } from "#store/person.ts";
import { customersAsked } from "#store/person-asked.ts";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import type { Databases } from "../../scripts/database/databases.ts";
import { applyErasures } from "../../scripts/erasures/apply-erasures.ts";
import { auditErasures } from "../../scripts/erasures/audit-erasures.ts";
import { openErasures } from "../../scripts/erasures/erasures-file.ts";
import { writeErasures } from "../../scripts/erasures/write-erasures.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { type IsolatedDatabase, isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { address } from "./signals-shop.ts";

// An erasure finds a customer by every kind of identifier, also after an earlier erasure.

const own = isolatedDatabase();
const restorable = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
const ofOne = { subscriptionId: "sub_1", saleType: "subscription" } as const;

async function openShop({ server, proxy }: IsolatedDatabase = own) {
  const world = await createWorld(server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
  const calls = callsOf(world, proxy.url);
  const erasing = erasingCallsOf(world, calls, server.url);
  const zebra = `zebra-${world.programId}`;
  const email = `${zebra}@mail.example`;
  const click = calls.click(world.partner, now - 3 * day);
  await calls.lead("key", [click], zebra, { email: address(email) });
  await calls.sale("t1", now - day, { customerKey: zebra, ...ofOne });
  const hold = async (commissionId: number, reason: string) => {
    const call = {
      ...{ kind: "review-commissions" as const, operationId: randomBytes(8).toString("hex"), at: now + 5 },
      ...{ programId: world.programId, actorId: "owner", commissionIds: [commissionId] as const },
      review: { action: "hold" as const, reason, partnerNote: null },
    };
    return calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome;
  };
  const file = async () => {
    const folder = await mkdtemp(join(tmpdir(), "tributary-found-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const name = join(folder, "erasures.jsonl");
    const secrets = { HASH_SECRET: testSecrets.HASH_SECRET };
    await writeErasures(databasesOf(server.url), { file: name, secrets, replaces: false });
    return openErasures(name, secrets);
  };
  return { ...calls, ...erasing, world, zebra, email, click, hold, file };
}

const databasesOf = (url: string): Databases => [{ shard: 0, url }];
const keys = { hashSecret: testSecrets.HASH_SECRET, clickKeys: testClickKeys };
const refusedAs = (code: string) => ({ ok: false, refusal: { code } });
const done = (rows: object) => ({ ok: true, answer: { rows } });

describe("a second customer key that was sent with a customer's subscription", () => {
  test("a second customer_key sent with a customer's subscription identifies the customer, and is erased with the ids that contain it, also after a restore", async () => {
    const { server } = restorable;
    const { world, zebra, exportBy, eraseBy, file, ...calls } = await openShop(restorable);
    const other = `lion-${world.programId}@new.example`;
    await calls.sale(`of ${other}`, now, { ...ofOne, customerKey: other });
    expect(await exportBy({ email: other })).toMatchObject({ sales: [{}, {}], customers: [{ customerKey: zebra }] });
    expect(await exportBy({ customerKey: other })).toMatchObject({ sales: [{}, {}] });
    const copy = await server.backup();
    expect(await eraseBy({ customerKey: zebra })).toMatchObject(done({ sales: 2, customers: 1 }));
    expect(await rowsNaming(world, zebra, other)).toEqual([]);
    await calls.sale(`of ${other} again`, now, { ...ofOne, customerKey: other });
    expect(await rowsNaming(world, other)).toEqual([]);
    await expectLedgerConsistent(world);
    const erasures = await file();
    await server.restore(copy);
    await applyErasures(databasesOf(server.url), erasures, keys);
    expect(await rowsNaming(world, zebra, other)).toEqual([]);
    await expectLedgerConsistent(world);
  });

  test("a second customer_key sent with a subscription identifies the customer who gets it from a lead, and their erasure removes it from the sale", async () => {
    const { world, zebra, eraseBy, ...calls } = await openShop();
    const lion = `lion-${world.programId}`;
    await calls.sale("t2", now, { ...ofOne, customerKey: lion });
    await calls.lead("key", [], lion);
    expect(await eraseBy({ customerKey: lion })).toMatchObject(done({ customers: 1 }));
    expect(await rowsNaming(world, lion)).toEqual([]);
    expect((await calls.customer())?.customer_key).toBe(zebra);
    await expectLedgerConsistent(world);
  });
});

describe("data reported about a customer after their erasure", () => {
  test.each(["customerKey", "email", "clickId"] as const)(
    "data reported about a customer after their erasure is found by the customer's old %s",
    async (by) => {
      const { world, zebra, email, click, eraseBy, exportBy, ...calls } = await openShop();
      const asked = { [by]: { customerKey: zebra, email, clickId: click.clickId }[by] };
      expect(await eraseBy(asked)).toMatchObject(done({ customers: 1, sales: 1 }));
      expect(await eraseBy(asked, now + 2)).toMatchObject({
        refusal: { code: "person_not_found", receiptId: expect.anything() },
      });
      const coupon = uniqueWord("josmith");
      const told = { eventName: "Jo bought", lineItems: '["12 High Street"]', couponCodes: [coupon] };
      await calls.sale("t2", now, { ...ofOne, customerKey: zebra, ...told });
      const exported = await exportBy(asked);
      expect(exported).toMatchObject({ sales: [{ transactionId: "t2", lineItems: told.lineItems }], customers: [] });
      const before = await world.rows("select * from partner_balances where program_id = ?", world.programId);
      expect(await eraseBy(asked, now + 3)).toMatchObject(done({ sales: 1, commissions: 1 }));
      expect(await rowsNaming(world, "Jo bought", "High Street", coupon)).toEqual([]);
      expect(await world.rows("select * from partner_balances where program_id = ?", world.programId)).toEqual(before);
      expect(await eraseBy(asked, now + 4)).toMatchObject(refusedAs("person_not_found"));
      expect(await exportBy(asked)).toBe("person_not_found");
      await expectLedgerConsistent(world);
    },
  );

  test("data reported about a customer after their erasure includes a note about an erased sale, and is erased again after a restore", async () => {
    const { server } = restorable;
    const { world, zebra, eraseBy, exportBy, hold, file, commissions } = await openShop(restorable);
    expect(await eraseBy({ customerKey: zebra })).toMatchObject(done({ customers: 1 }));
    const [commission] = await commissions();
    expect(await hold(Number(commission?.id), "Jo Smith called us")).toMatchObject({ ok: true });
    expect(await exportBy({ customerKey: zebra })).toMatchObject({ notes: [{ text: "Jo Smith called us" }] });
    const copy = await server.backup();
    expect(await eraseBy({ customerKey: zebra }, now + 6)).toMatchObject(done({ notes: 1 }));
    expect(await rowsNaming(world, "Jo Smith")).toEqual([]);
    const erasures = await file();
    expect(await auditErasures(databasesOf(server.url), erasures, keys.hashSecret)).toEqual([]);
    await server.restore(copy);
    expect(await auditErasures(databasesOf(server.url), erasures, keys.hashSecret)).toHaveLength(1);
    await applyErasures(databasesOf(server.url), erasures, keys);
    expect(await rowsNaming(world, "Jo Smith")).toEqual([]);
    expect(await auditErasures(databasesOf(server.url), erasures, keys.hashSecret)).toEqual([]);
    await expectLedgerConsistent(world);
  });

  test("data reported about a customer after their erasure is recorded for the erased customer if it has their pseudonym, which is stored unchanged", async () => {
    const { world, zebra, eraseBy, customer, sale } = await openShop();
    await eraseBy({ customerKey: zebra });
    const pseudonym = String((await customer())?.customer_key);
    await sale("t2", now, { customerKey: pseudonym, eventName: "Jo bought" });
    expect(await eraseBy({ customerKey: zebra }, now + 2)).toMatchObject(done({ sales: 1 }));
    const sent = "select sent_customer_key from sales where transaction_id = 't2' and program_id = ?";
    expect(await world.rows(sent, world.programId)).toEqual([{ sent_customer_key: pseudonym }]);
    await expectLedgerConsistent(world);
  });
});

test("a second erasure request for a customer, by any of their identifiers, returns the receipt of the erasure that is still running", async () => {
  const { world, zebra, email, click, eraseBy, saleTask, ledger, opened } = await openShop();
  const tasks = Array.from({ length: 510 }, (_, i) => saleTask(`many ${i}`, now - day + i, { customerKey: zebra }));
  await mapConcurrent(tasks, 170, (task) => ledger.submit(task).outcome);
  const begun = await eraseBy({ customerKey: zebra });
  expect(begun).toMatchObject({ answer: { erasedAt: null } });
  const receiptId = (await opened())?.id;
  for (const asked of [{ customerKey: zebra }, { email }, { clickId: click.clickId }])
    expect(await eraseBy(asked, now + 2)).toMatchObject({ answer: { receiptId, erasedAt: null } });
  expect(await world.rows("select id from erasures where program_id = ?", world.programId)).toHaveLength(1);
});

test("a customer_key that is an email address is found by the address in upper or lower case", async () => {
  const { world, eraseBy, lead } = await openShop();
  await lead("key", [], "Jo@Shop.Example");
  expect(await eraseBy({ customerKey: "jo@shop.example" })).toMatchObject(refusedAs("person_not_found"));
  expect(await eraseBy({ email: "JO@shop.example" })).toMatchObject(done({ customers: 1 }));
  expect(await rowsNaming(world, "jo@shop.example")).toEqual([]);
});

test("an erasure by an address that too many customers share is refused", async () => {
  const { world, email, eraseBy, exportBy } = await openShop();
  await world.write(`insert into customers (id, program_id, is_test, customer_key, reason, email_hash, email_mask, created_at)
    select 1000000 + value, c.program_id, 0, 'many ' || value, 'no_click', c.email_hash, c.email_mask, 1
    from customers c join generate_series(1, 500) where c.program_id = ${world.programId}`);
  expect(await eraseBy({ email })).toMatchObject(refusedAs("too_many_customers"));
  expect(await exportBy({ email })).toBe("too_many_customers");
  expect(await eraseBy({ customerKey: "many 500" })).toMatchObject(done({ customers: 1 }));
  expect(await eraseBy({ email }, now + 2)).toMatchObject(done({ customers: 500 }));
});

test("no query for personal data searches all rows of the program", async () => {
  const { world } = await openShop();
  const none = { customerIds: "[]", eachOf: "[]", notedOf: "[]", leadNames: "[]", clickIds: "[]" };
  const rows = { programId: world.programId, ...none, most: 1, withShared: false };
  const asked = { programId: world.programId, keys: "[]", emailHash: null, clickId: null, digests: "[]" };
  const reads = { asked: customersAsked(asked), size: personSize(rows), ...personReads(rows) };
  const plans = Object.entries(reads).map(async ([name, { sql, args }]) =>
    (
      await world.rows(
        `explain query plan ${sql}`,
        ...args.map((arg) => (typeof arg === "boolean" ? Number(arg) : arg)),
      )
    ).map(({ detail }) => `${name}: ${detail}`),
  );
  const found = (await Promise.all(plans)).flat();
  expect(found.length).toBeGreaterThan(50);
  // A program has few erasures, few such email keys and few such sales, so a search of them is small.
  const isSmall = /erasures|customers_email_key|sales_other_key/;
  const isOfProgram = /\(program_id=\?( AND is_test=\?)?\)/;
  expect(found.filter((step) => isOfProgram.test(step) && !isSmall.test(step))).toEqual([]);
});
