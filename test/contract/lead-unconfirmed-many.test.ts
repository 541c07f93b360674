import { describe, expect, it, onTestFinished } from "vitest";
import type { SaleBody } from "../../harness/client.ts";

import type { WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();

async function open(settings: WorldSettings = {}) {
  const user = await own.user("owner");
  const world = await own.world({ partners: [{}, {}], members: [{ user, role: "owner" }], ...settings });
  onTestFinished(() => expectLedgerConsistent(world));
  const shop = salesFixture(programFixture(world, own.api()));
  const decide = (commissionId: number, verb: "approve" | "reject") =>
    user.post(
      `/api/programs/${world.programId}/commissions/${commissionId}/${verb}`,
      verb === "reject" ? { reason: "r" } : {},
    );
  await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(30)) });
  return { shop, decide };
}

/** Records sales past their hold, attributed to Bob by a browser's lead. Returns the last one. */
async function sellMany(shop: SalesFixture, count: number) {
  let last: SaleBody | undefined;
  // Sent one after the other: concurrent sales of one customer would each wait for a separate commit.
  for (let i = 0; i < count; i += 1) {
    last = await shop.sale({ transaction_id: `t${i}`, customer_key: "c1", occurred_at: at(daysAgo(20, i)) });
    expect(last.commission).toMatchObject({ status: "pending", unconfirmed: true });
  }
  if (last === undefined) throw new Error("nothing was sold");
  return last;
}

const standing = async (shop: SalesFixture) =>
  shop.row(
    `select count(*) as sales, sum(partner_id = ?) as alices, sum(is_unconfirmed) as unconfirmed,
       sum(status = 'approved') as approved, sum(amount_cents) as cents from commissions where program_id = ?`,
    shop.alice.id,
    shop.world.programId,
  );
const waiting = async (shop: SalesFixture) =>
  (
    await shop.world.rows(
      "select p.* from pending_moves p join customers c on c.id = p.customer_id where c.program_id = ?",
      shop.world.programId,
    )
  ).length;

describe("a customer whose sales exceed one commit", () => {
  it("a customer with more sales than one commit holds moves to another partner, and each of the sales moves exactly once", {
    tags: "soak",
  }, async () => {
    const { shop, decide } = await open();
    const last = await sellMany(shop, 215);
    const moved = await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(25)) });
    expect(moved).toMatchObject({ partner_code: shop.alice.code, moved: true });
    // If the sale hasn't moved yet, its approval is refused.
    const { status, body } = await decide(last.commission_id, "approve");
    if (status !== 200) expect([status, body.error.details]).toEqual([409, { reason: "moving" }]);

    await eventually(
      () => waiting(shop),
      (count) => count === 0,
    );
    expect(await standing(shop)).toEqual({
      sales: 215,
      alices: 215,
      unconfirmed: 0,
      approved: 215,
      cents: 215 * 2_000,
    });
    const entries = await shop.row(
      `select sum(kind = 'earned') as earned, sum(kind = 'moved') as moved, sum(iif(partner_id = ?, amount_cents, 0)) as alices,
         sum(iif(partner_id = ?, amount_cents, 0)) as bobs from ledger_entries where program_id = ?`,
      ...[shop.alice.id, shop.bob.id, shop.world.programId],
    );
    expect(entries).toEqual({ earned: 215, moved: 430, alices: 215 * 2_000, bobs: 0 });
  });

  it.each(sampled(["keyed lead", "approval"]))(
    "a customer with more sales than one commit holds is confirmed together with all of the sales by a %s",
    { tags: "soak" },
    async (how) => {
      const { shop, decide } = await open();
      const last = await sellMany(shop, 105);
      if (how === "approval") expect((await decide(last.commission_id, "approve")).status).toBe(200);
      else await shop.lead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(25)) });
      await eventually(
        () => waiting(shop),
        (count) => count === 0,
      );
      expect(await standing(shop)).toEqual({
        sales: 105,
        alices: 0,
        unconfirmed: 0,
        approved: 105,
        cents: 105 * 2_000,
      });
      expect((await shop.sell()).body).toMatchObject({
        partner_code: shop.bob.code,
        commission: { unconfirmed: false },
      });
    },
  );
});

describe("a sale that hasn't yet moved to its customer's new partner", () => {
  /** Creates the state in the middle of a move: the customer is Alice's already, and three sales are still Bob's. */
  async function halfMoved(settings: WorldSettings = {}) {
    const { shop, decide } = await open(settings);
    const sold = [];
    for (const days of [20, 10, 5]) sold.push((await shop.sell({ occurred_at: at(daysAgo(days)) })).body);
    const [customer] = await shop.all("customers");
    const { alice, click, world } = shop;
    const [customerId, clickAt] = [Number(customer?.id), daysAgo(25)];
    const clickId = click(alice, clickAt);
    await world.write(
      {
        sql: `update customers set partner_id = ?, link_id = ?, click_id = ?, click_at = ?, evidence = 'key',
          confirmed_at = created_at, first_attributed_sale_at = null, one_time_commission_id = null where id = ?`,
        args: [alice.id, alice.linkId, clickId, clickAt, customerId],
      },
      {
        sql: `insert into customer_clicks (customer_id, is_nameless, click_id, link_id, click_at, evidence, has_settled_in_browser, shown_at)
          values (?, 0, ?, ?, ?, 'key', 0, ?)`,
        args: [customerId, clickId, alice.linkId, clickAt, Date.now()],
      },
      {
        sql: `update leads set partner_id = ?1, partner_code = ?2, click_id = ?3, evidence = 'key',
          explanation = json_set(explanation, '$.candidates', json_array(
            json_object('clickId', ?3, 'at', cast(?4 as integer), 'partnerCode', ?2, 'outcome', 'chosen')))
          where customer_id = ?5`,
        args: [alice.id, alice.code, clickId, clickAt, customerId],
      },
      {
        sql: `insert into pending_moves (customer_id, after_occurred_at, after_sale_id, is_partner_active, is_program_active,
          policy_version, created_at) values (?, ?, 0, 1, 1, 1, ?)`,
        args: [customerId, daysAgo(21), Date.now()],
      },
    );
    return { shop, decide, sold };
  }
  const finish = async (shop: SalesFixture) => {
    // The Ledger resumes unfinished moves when it starts.
    await own.service.kill();
    await own.service.restart();
    await shop.sell({ customer_key: "somebody else" });
    await eventually(
      () => waiting(shop),
      (count) => count === 0,
    );
  };

  it("a sale whose customer is moving to a new partner can't be approved or rejected until the sale has moved", async () => {
    const { shop, decide, sold } = await halfMoved();
    const moving = { status: 409, name: "ConflictError", details: { reason: "moving" } };
    for (const { commission_id } of sold) {
      for (const verb of ["approve", "reject"] as const) {
        expect((await decide(commission_id, verb)).body).toMatchObject({ data: null, error: moving });
      }
    }
    expect(
      await shop.row("select count(*) as n from audit_entries where program_id = ?", shop.world.programId),
    ).toEqual({ n: 0 });
    await finish(shop);
    for (const { commission_id } of sold) {
      expect(await shop.commission(commission_id)).toMatchObject({ partner_id: shop.alice.id, is_unconfirmed: 0 });
      expect((await decide(commission_id, "reject")).status).toBe(200);
    }
  });

  it("while a customer's sales move to a new partner, the one_time commission stays with its sale, and a new sale is decided as if the move were finished", {
    tags: "soak",
  }, async () => {
    const { shop, sold } = await halfMoved({ policies: [{ scope: "one_time" }] });
    const { body } = await shop.sell();
    expect(body).toMatchObject({ partner_code: shop.alice.code, reason: "recurring_not_covered" });
    await finish(shop);
    const [first, ...rest] = await Promise.all(sold.map(({ commission_id }) => shop.commission(commission_id)));
    expect(first).toMatchObject({ partner_id: shop.alice.id, amount_cents: 200 });
    for (const commission of rest) expect(commission).toMatchObject({ partner_id: shop.alice.id, status: "void" });
    expect(await shop.booked()).toEqual([
      ["bob", "earned", 200, expect.any(String)],
      ["bob", "moved", -200, expect.any(String)],
      ["alice", "moved", 200, expect.any(String)],
    ]);
  });

  it("a sale moves to the new partner with a refund that is recorded during the move", { tags: "soak" }, async () => {
    const { shop } = await halfMoved();
    const [first] = await shop.all("sales");
    await shop.refund({ transaction_id: String(first?.transaction_id), refund_amount_cents: 500 });
    await finish(shop);
    expect(await shop.all("refunds")).toMatchObject([{ partner_id: shop.alice.id, refunded_cents: 500 }]);
    const balance = async (partnerId: number) =>
      (await shop.row("select sum(amount_cents) as cents from ledger_entries where partner_id = ?", partnerId)).cents;
    expect([await balance(shop.alice.id), await balance(shop.bob.id)]).toEqual([500, 0]);
  });
});
