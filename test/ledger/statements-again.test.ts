import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

test("a call that emails payout statements sends no email when it is repeated with the same operation id", async () => {
  const world = await createWorld(database.url, { partners: [{}, {}], policies: [{ holdDays: 0 }] });
  await world.change({
    sql: "update partners set email = 'again' || id || '@example.com', email_hash = 'of an address' where program_id = ?",
    args: [world.programId],
  });
  const ledger = ownLedger(database.url, clock);
  const calls = callsOf(world, ledger);
  for (const [i, partner] of world.partners.entries()) {
    await calls.lead("key", [calls.click(partner, daysAgo(4))], `c${i}`);
    await calls.sale(`s${i}`, daysAgo(2), { customerKey: `c${i}` });
  }
  const payouts = payoutCalls(world, ledger, now);
  const { id: payoutId } = await payouts.create("EUR");
  expect(await payouts.change("confirm-payout", "one", { payoutId })).toMatchObject({ ok: true });
  const recipients = world.partners.map(({ id }) => ({ partnerId: id, to: `again${id}@example.com` }));
  const mail = (admitted: typeof recipients, operationId = randomBytes(8).toString("hex")) => {
    const by = { operationId, at: now, programId: world.programId, actorId: "one", recipients: admitted };
    const call = { ...by, kind: "mail-statements", payoutId, mailsFrom: "https://example.com" } as const;
    return ledger.submit(ledger.changeTask(call, now)).outcome;
  };
  const written = async () => {
    const of = "where program_id = ? and";
    const [mails] = await world.rows(`select count(*) as n from mails ${of} template = 'statement'`, world.programId);
    const [entries] = await world.rows(
      `select count(*) as n from audit_entries ${of} action = 'payout.statements_mailed'`,
      world.programId,
    );
    return [mails?.n, entries?.n];
  };
  const operationId = randomBytes(8).toString("hex");
  const [first, ...others] = recipients;
  const admitted = first === undefined ? [] : [first];
  expect(await mail(admitted, operationId)).toMatchObject({ ok: true });
  expect(await written()).toEqual([1, 1]);
  expect(await mail(recipients, operationId)).toMatchObject({ ok: true });
  expect(await written()).toEqual([1, 1]);
  expect(await mail(others)).toMatchObject({ ok: true });
  expect(await written()).toEqual([2, 2]);
  expect(ledger.faults).toEqual([]);
  expect(await world.audit()).toEqual([]);
});
