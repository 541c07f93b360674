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

async function paying(count = 2) {
  const world = await createWorld(database.url, {
    partners: Array.from({ length: count }, () => ({})),
    policies: [{ holdDays: 0 }],
  });
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
  const confirm = (recipients: readonly { partnerId: number; to: string; accountId?: string }[]) =>
    payouts.change("confirm-payout", "one", { payoutId, mailsFrom: "https://example.com", recipients });
  const mailStatements = (recipients: readonly { partnerId: number; to: string }[]) =>
    payouts.change("mail-statements", "one", { payoutId, mailsFrom: "https://example.com", recipients });
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
  const fail = (partnerId: number) =>
    payouts.change("fail-line", "one", { payoutId, line: { partnerId }, reason: "came back", partnerNote: null });
  const recipients = world.partners.map(({ id }) => ({ partnerId: id, to: `p${id}@example.com` }));
  return { world, ledger, confirm, fail, mailStatements, mailed, changeAddress, importAddresses, recipients };
}

test("a payout sends no email to a partner whose address has changed since the recipients were counted", async () => {
  const { world, confirm, mailed, recipients } = await paying();
  const [first, second] = recipients;
  if (first === undefined || second === undefined) throw new Error("no partners");
  expect(await confirm([{ ...first, to: "former@example.com" }, second])).toMatchObject({ ok: true });
  expect(await mailed()).toEqual([second.partnerId]);
  expect(await world.audit()).toEqual([]);
});

test("a change of a partner's address withdraws the partner's waiting statement, which can be mailed to the new address", async () => {
  const { world, ledger, confirm, mailStatements, mailed, changeAddress, recipients } = await paying();
  expect(await confirm(recipients)).toMatchObject({ ok: true });
  expect(await mailed()).toHaveLength(2);
  const [first, second] = recipients;
  expect(await changeAddress(first?.partnerId ?? 0)).toMatchObject({ ok: true });
  expect(await mailed()).toEqual([second?.partnerId]);
  const renewed = recipients.map(({ partnerId }) => ({ partnerId, to: "other@example.com" }));
  for (const _ of ["first", "again"]) expect(await mailStatements(renewed)).toMatchObject({ ok: true });
  expect(new Set(await mailed())).toEqual(new Set(recipients.map(({ partnerId }) => partnerId)));
  await world.write({ sql: "update mails set due_at = null, delivered_at = ?", args: [now] });
  expect(await changeAddress(second?.partnerId ?? 0)).toMatchObject({ ok: true });
  expect(await mailStatements(renewed)).toMatchObject({ ok: true });
  expect(await mailed()).toHaveLength(2);
  expect(ledger.faults).toEqual([]);
  expect(await world.audit()).toEqual([]);
});

test("an import of partners' addresses withdraws these partners' waiting emails about payouts", async () => {
  const { world, confirm, mailed, importAddresses, recipients } = await paying();
  expect(await confirm(recipients)).toMatchObject({ ok: true });
  expect(await importAddresses()).toMatchObject({
    ok: true,
    answer: { outcomes: [{ result: "updated" }, { result: "updated" }] },
  });
  expect(await mailed()).toEqual([]);
  expect(await world.audit()).toEqual([]);
});

test("a payout emails an account only while it has access and the partner has no address", async () => {
  const { world, ledger, confirm, fail, mailed } = await paying(4);
  const [first, second, third, fourth] = world.partners.map(({ id }) => id);
  await world.write({ sql: "update partners set email = null, email_hash = null where id <> ?", args: [third ?? 0] });
  const access = [first, third, fourth].map((id) => ({
    sql: "insert into partner_accounts (partner_id, account_id, program_id, role, created_at) values (?, ?, ?, 'view', 1)",
    args: [id ?? 0, `account of ${id}`, world.programId],
  }));
  await world.write(...access);
  const recipients = [first, second, third, fourth].map((id = 0) => ({
    partnerId: id,
    to: `m${id}@example.com`,
    accountId: `account of ${id}`,
  }));
  expect(await confirm(recipients)).toMatchObject({ ok: true });
  expect(new Set(await mailed())).toEqual(new Set([first, fourth]));
  expect(await fail(first ?? 0)).toMatchObject({ ok: true });
  expect(await mailed()).toEqual([fourth]);
  expect(ledger.faults).toEqual([]);
});
