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

async function paying() {
  const world = await createWorld(database.url, { partners: [{}, {}], policies: [{ holdDays: 0 }] });
  await world.change({
    sql: "update partners set email = 'p' || id || '@example.com', email_hash = 'of an address' where program_id = ?",
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
  const confirm = (recipients: readonly { partnerId: number; to: string }[]) =>
    payouts.change("confirm-payout", "one", { payoutId, mailsFrom: "https://example.com", recipients });
  const mailed = async () =>
    (
      await world.rows(
        "select l.partner_id as id from mails m join payout_lines l on l.id = m.payout_line_id where m.program_id = ?",
        world.programId,
      )
    ).map(({ id }) => Number(id));
  const change = (call: object) => {
    const by = { operationId: randomBytes(8).toString("hex"), at: now, programId: world.programId, actorId: "one" };
    return ledger.submit(ledger.changeTask({ ...by, ...call } as never, now)).outcome;
  };
  const changeAddress = (partnerId: number) =>
    change({ kind: "update-partner", partnerId, changes: { email: "other@example.com" } });
  const importAddresses = () =>
    change({
      ...{ kind: "import-partners", source: "Elsewhere", isDryRun: false, mayUpdate: true },
      rows: world.partners.map(({ code }, i) => ({
        ...{ line: i + 1, name: `Partner ${i}`, codes: [code] },
        email: `other${i}@example.com`,
      })),
    });
  const recipients = world.partners.map(({ id }) => ({ partnerId: id, to: `p${id}@example.com` }));
  return { world, ledger, confirm, mailed, changeAddress, importAddresses, recipients };
}

test("a payout mails no partner whose address has changed since it was counted", async () => {
  const { world, confirm, mailed, recipients } = await paying();
  const [first, second] = recipients;
  if (first === undefined || second === undefined) throw new Error("no partners");
  expect(await confirm([{ ...first, to: "former@example.com" }, second])).toMatchObject({ ok: true });
  expect(await mailed()).toEqual([second.partnerId]);
  expect(await world.audit()).toEqual([]);
});

test("a change of a partner's address withdraws the mails about payouts that wait", async () => {
  const { world, ledger, confirm, mailed, changeAddress, recipients } = await paying();
  expect(await confirm(recipients)).toMatchObject({ ok: true });
  expect(await mailed()).toHaveLength(2);
  const [first, second] = recipients;
  expect(await changeAddress(first?.partnerId ?? 0)).toMatchObject({ ok: true });
  expect(await mailed()).toEqual([second?.partnerId]);
  await world.write({ sql: "update mails set due_at = null, delivered_at = ?", args: [now] });
  expect(await changeAddress(second?.partnerId ?? 0)).toMatchObject({ ok: true });
  expect(await mailed()).toEqual([second?.partnerId]);
  expect(ledger.faults).toEqual([]);
  expect(await world.audit()).toEqual([]);
});

test("an import of partners' addresses withdraws the mails about payouts that wait", async () => {
  const { world, confirm, mailed, importAddresses, recipients } = await paying();
  expect(await confirm(recipients)).toMatchObject({ ok: true });
  expect(await importAddresses()).toMatchObject({
    ok: true,
    answer: { outcomes: [{ result: "updated" }, { result: "updated" }] },
  });
  expect(await mailed()).toEqual([]);
  expect(await world.audit()).toEqual([]);
});
