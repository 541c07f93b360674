import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { snakeCase } from "#domain/snake-case.ts";
import type { ErasePartnerCall } from "#operations/privacy/erase-partner.ts";
import { columnsAbout } from "#store/erased-columns.ts";
import { partnerDetailNames } from "#store/partners.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { failingDatabase } from "../support/failing-database.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const now = daysAgo(0);
let world: World;
let calls: ReturnType<typeof callsOf>;

beforeEach(async () => {
  world = await createWorld(own.server.url, {
    partners: [{ name: "Zebra" }, {}],
    policies: [{ holdDays: 0, scope: "lifetime" }],
  });
  calls = callsOf(world, own.proxy.url);
});

const eraseCall = (more: Partial<ErasePartnerCall> = {}): ErasePartnerCall => ({
  ...{ kind: "erase-partner", operationId: randomBytes(8).toString("hex"), at: now, actorId: "owner" },
  ...{ programId: world.programId, partnerId: world.partner.id, writesOff: false },
  ...more,
});
const eraseBy = (ledger: ReturnType<typeof ledgerOn>, call = eraseCall()) =>
  ledger.submit(ledger.changeTask(call, now)).outcome;
const erase = (call = eraseCall()) => eraseBy(calls.ledger, call);
const code = (outcome: Awaited<ReturnType<typeof erase>>) => (outcome.ok ? "ok" : outcome.refusal.code);
const partner = async () =>
  (await world.rows("select name, status, erasure_id from partners where id = ?", world.partner.id))[0];
const balance = async () =>
  (
    await world.rows(
      "select pending_cents, payable_cents, in_payout_cents, paid_cents from partner_balances where partner_id = ?",
      world.partner.id,
    )
  )[0];
const sell = async () => {
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], "c1", { occurredAt: now - 3 * day });
  await calls.sale("t1", now - day);
};

test.each(partnerDetailNames)("an event reports that a partner's %s has changed", async (name) => {
  const where = `where id = ${world.partner.id}`;
  await world.write(`update partners set email = 'zebra@example.com', email_hash = 'digest' ${where}`);
  const events = () =>
    world.rows("select subject from events where program_id = ? and type = 'partner.updated'", world.programId);
  const before = (await events()).length;
  await world.write(`update partners set ${snakeCase(name)} = 'Zebra' ${where}`);
  expect(await events()).toHaveLength(before + 1);
});

describe("the erasure of a partner", () => {
  test("the erasure of a partner empties every column that may contain the partner's data, and none of these columns can be filled again", async () => {
    const columns = columnsAbout("partners", "partner").map(snakeCase);
    const where = `where id = ${world.partner.id}`;
    await world.write(`update partners set ${columns.map((name) => `${name} = 'Zebra'`).join(", ")} ${where}`);
    expect(code(await erase())).toBe("ok");
    const [row] = await world.rows(`select ${columns.join(", ")} from partners ${where}`);
    expect(row).toEqual({
      ...Object.fromEntries(columns.map((name) => [name, null])),
      name: expect.stringMatching(/^Partner \d+$/),
    });
    for (const name of columns) {
      const filled = world.write(`update partners set ${name} = 'Zebra' ${where}`);
      await expect(filled, name).rejects.toThrow("an erased partner stays erased");
    }
    await expectLedgerConsistent(world);
  });

  test("the erasure of a partner is applied once if two requests are concurrent, and the second one gets the receipt", async () => {
    const [first, second] = await Promise.all([erase(), erase()]);
    expect([code(first), code(second)]).toEqual(["ok", "person_not_found"]);
    const { erasure_id: receiptId } = (await partner()) ?? {};
    expect(second).toMatchObject({ refusal: { receiptId } });
    expect(await world.rows("select id from erasures where program_id = ?", world.programId)).toEqual([
      { id: receiptId },
    ]);
    await expectLedgerConsistent(world);
  });

  test("the erasure of a partner is applied once if the database's reply is lost or the request is sent again to another Ledger", async () => {
    const { database, clock, fails } = failingDatabase(own.server.url, 0);
    const ledger = ledgerOn(database, clock);
    let isLost = false;
    fails.answer = (statements) => {
      const isHit = !isLost && statements.some(({ sql }) => sql.includes('insert into "erasures"'));
      isLost ||= isHit;
      return isHit;
    };
    const call = eraseCall();
    const first = await eraseBy(ledger, call);
    expect([isLost, code(first)]).toEqual([true, "ok"]);
    const answer = first.ok && first.answer;
    expect(await eraseBy(ledger, call)).toMatchObject({ ok: true, answer });
    expect(await erase(call)).toMatchObject({ ok: true, answer });
    expect(await world.rows("select id from erasures where program_id = ?", world.programId)).toHaveLength(1);
    await expectLedgerConsistent(world);
  });

  test("the erasure of a partner is refused until a payout that contains the partner is paid", async () => {
    await sell();
    const payouts = payoutCalls(world, calls.ledger, now);
    const { id: payoutId } = await payouts.create("EUR", { minimumCents: 1 });
    const open = async () => {
      const refused = await erase();
      if (refused.ok || refused.refusal.code !== "money_open") throw new Error("expected open money");
      return refused.refusal.balances;
    };
    expect(await open()).toMatchObject([{ payableCents: 200, inPayoutCents: 0, waysOut: ["pay"] }]);
    const [finalized, refused] = await Promise.all([payouts.change("finalize-payout", "one", { payoutId }), erase()]);
    expect([finalized.ok, code(refused)]).toEqual([true, "money_open"]);
    expect(await open()).toMatchObject([{ payableCents: 0, inPayoutCents: 200, waysOut: ["settle_payout"] }]);
    expect(await partner()).toEqual({ name: "Zebra", status: "active", erasure_id: null });
    await payouts.change("confirm-payout", "two", { payoutId, paidAt: now });
    expect(code(await erase())).toBe("ok");
    expect(await balance()).toMatchObject({ payable_cents: 0, paid_cents: 200 });
    expect(await world.rows("select name, email from payout_lines where payout_id = ?", payoutId)).toEqual([
      { name: "Zebra", email: null },
    ]);
    await expectLedgerConsistent(world);
  });

  test("the erasure of a partner replaces the partner's name in a payout that was canceled after it was finalized", async () => {
    await sell();
    const payouts = payoutCalls(world, calls.ledger, now);
    const { id: payoutId } = await payouts.create("EUR", { minimumCents: 1 });
    await payouts.change("finalize-payout", "one", { payoutId });
    await payouts.change("cancel-payout", "one", { payoutId });
    await calls.refund("t1", "rest");
    expect(code(await erase())).toBe("ok");
    const { name } = (await partner()) ?? {};
    expect(name).toMatch(/^Partner \d+$/);
    const lines = await world.rows("select name, email from payout_lines where payout_id = ?", payoutId);
    expect(lines).toEqual([{ name, email: null }]);
    await expectLedgerConsistent(world);
  });

  test.each(["draft", "final"])(
    "an erasure that is repeated after a restore replaces the partner's name in a %s payout",
    async (status) => {
      await sell();
      const payouts = payoutCalls(world, calls.ledger, now);
      const { id: payoutId } = await payouts.create("EUR", { minimumCents: 1 });
      if (status === "final") await payouts.change("finalize-payout", "one", { payoutId });
      expect(code(await erase(eraseCall({ isRepeated: true })))).toBe("ok");
      const { name } = (await partner()) ?? {};
      expect(name).toMatch(/^Partner \d+$/);
      const lines = () => world.rows("select name, email from payout_lines where payout_id = ?", payoutId);
      expect(await lines()).toEqual([{ name, email: null }]);
      await expectLedgerConsistent(world);
      if (status === "draft") return;
      expect(await payouts.change("confirm-payout", "two", { payoutId, paidAt: now })).toMatchObject({ ok: true });
      expect(await balance()).toMatchObject({ payable_cents: 0, in_payout_cents: 0, paid_cents: 200 });
      await expectLedgerConsistent(world);
    },
  );

  test("the erasure of a partner writes off the partner's debt in the same commit if requested", async () => {
    await sell();
    const payouts = payoutCalls(world, calls.ledger, now);
    const { id: payoutId } = await payouts.create("EUR", { minimumCents: 1 });
    await payouts.change("finalize-payout", "one", { payoutId });
    await payouts.change("confirm-payout", "two", { payoutId, paidAt: now });
    await calls.refund("t1", "rest");
    expect(await balance()).toMatchObject({ payable_cents: -200 });
    expect(await erase()).toMatchObject({
      refusal: { code: "money_open", balances: [{ carriedCents: -200, waysOut: ["write_off"] }] },
    });
    const call = eraseCall({ writesOff: true });
    expect(code(await erase(call))).toBe("ok");
    expect(code(await erase(call))).toBe("ok");
    expect(await balance()).toMatchObject({ pending_cents: 0, payable_cents: 0, in_payout_cents: 0 });
    const written = await world.rows(
      "select a.amount_cents, a.reference, n.text from adjustments a join notes n on n.id = a.reason_id where a.program_id = ?",
      world.programId,
    );
    expect(written).toEqual([
      {
        amount_cents: 200,
        reference: `erasure_${call.operationId} EUR`,
        text: "Written off when the partner was erased",
      },
    ]);
    const [receipt] = await world.rows('select "before", after from erasures where program_id = ?', world.programId);
    expect(receipt?.after).toBe(receipt?.before);
    await expectLedgerConsistent(world);
  });

  test("after the erasure of a partner, adjustments are accepted only if they settle a payment that failed after the erasure", async () => {
    await sell();
    const payouts = payoutCalls(world, calls.ledger, now);
    const { id: payoutId } = await payouts.create("EUR", { minimumCents: 1 });
    await payouts.change("finalize-payout", "one", { payoutId });
    await payouts.change("confirm-payout", "two", { payoutId, paidAt: now });
    expect(code(await erase())).toBe("ok");
    const failing = { payoutId, line: { partnerId: world.partner.id }, reason: "Closed", partnerNote: null };
    expect(await payouts.change("fail-line" as never, "three", failing)).toMatchObject({ ok: true });
    expect(await balance()).toMatchObject({ payable_cents: 200 });
    const adjust = async (amountCents: number, currency = "EUR") => {
      const call = {
        ...{
          kind: "create-adjustment" as const,
          operationId: randomBytes(8).toString("hex"),
          at: now,
          actorId: "owner",
        },
        ...{ programId: world.programId, partnerId: world.partner.id, amountCents, currency },
        ...{ reason: "Settled", partnerNote: null, reference: `${amountCents} ${currency}` },
      };
      const done = await calls.ledger.submit(calls.ledger.changeTask(call, now)).outcome;
      return done.ok ? "ok" : done.refusal.code;
    };
    for (const [cents, currency] of [[1], [-201], [-10, "USD"]] as const) {
      expect(await adjust(cents, currency)).toBe("partner_erased");
    }
    expect((await Promise.all([adjust(-150), adjust(-120)])).toSorted()).toEqual(["ok", "partner_erased"]);
    expect(await adjust(-50)).toBe("ok");
    expect(await adjust(-50)).toBe("ok");
    expect(await balance()).toMatchObject({ payable_cents: 0 });
    await expectLedgerConsistent(world);
  });

  test("the erasure of a partner leaves the partner paused and their code reserved, and later sales earn nothing", async () => {
    await calls.lead("key", [calls.click(world.partner, now - 3 * day)], "c1", { occurredAt: now - 3 * day });
    expect(code(await erase())).toBe("ok");
    const { commission } = await calls.sale("late", now);
    expect(commission).toMatchObject({ amountCents: 0, reason: "partner_inactive" });
    const activate = {
      ...{ kind: "update-partner" as const, operationId: randomBytes(8).toString("hex"), at: now, actorId: "owner" },
      ...{ programId: world.programId, partnerId: world.partner.id, changes: { status: "active" as const } },
    };
    const refused = await calls.ledger.submit(calls.ledger.changeTask(activate, now)).outcome;
    expect(refused).toMatchObject({ ok: false, refusal: { code: "partner_erased" } });
    await expectLedgerConsistent(world);
  });
});
