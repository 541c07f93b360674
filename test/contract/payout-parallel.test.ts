import { describe, expect, test } from "vitest";
import { isWhole } from "../support/breadth.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { type FixtureUsers, usersOfFile } from "../support/users-fixture.ts";

async function open(people: FixtureUsers) {
  const shop = await payoutsFixture(people);
  const { programId } = shop.world;
  const first = await shop.earn(1_000);
  const second = await shop.earn(500);
  await shop.earn(300, { partner: shop.bob });
  const { id } = (await shop.create()).body.data;
  return {
    ...shop,
    id,
    first,
    second,
    /** The actions in the payout's audit entries since its creation. */
    trail: async () => {
      const actions = await shop.world.rows(
        "select action from audit_entries where program_id = ? and action like 'payout.%' order by id",
        programId,
      );
      return actions.slice(1).map(({ action }) => action);
    },
    /** The kinds of ledger entries that payouts have posted. */
    posted: async () =>
      (await shop.all("ledger_entries"))
        .filter(({ payout_line_id }) => payout_line_id !== null)
        .map(({ kind }) => kind),
    /** The sums of both partners' balances. */
    sums: () =>
      shop.row(
        `select sum(payable_cents) as payable, sum(in_payout_cents) as in_payout, sum(paid_cents) as paid
         from partner_balances where program_id = ?`,
        programId,
      ),
  };
}

type Shop = Awaited<ReturnType<typeof open>>;

/** Defines a test with its own users, because rate limits are per user. */
function manyCalls(title: string, run: (shop: Shop) => Promise<void>, options: { readonly tags?: "soak" } = {}): void {
  describe("parallel calls for a payout", () => {
    const people = usersOfFile();
    test(title, options, async () => run(await open(people)));
  });
}

const count = isWhole ? 60 : 24;
const middle = count / 2;
const allAtOnce = <T>(send: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => send(i)));

const statusesOf = (replies: readonly { readonly status: number }[]): readonly number[] => [
  ...new Set(replies.map(({ status }) => status)),
];

manyCalls("parallel calls finalize a payout once", async ({ id, finalize, trail, sums }) => {
  const replies = await allAtOnce(() => finalize(id, { expectedTotalCents: 1_800 }));
  expect(statusesOf(replies)).toEqual([200]);
  for (const { body } of replies) expect(body.data).toMatchObject({ status: "final", totalCents: 1_800, changes: [] });
  expect(await trail()).toEqual(["payout.finalized"]);
  expect(await sums()).toEqual({ payable: 0, in_payout: 1_800, paid: 0 });
});

manyCalls(
  "parallel calls finalize and confirm a draft payout once",
  async ({ id, confirm, trail, sums, posted }) => {
    const replies = await allAtOnce(() => confirm(id, { expectedTotalCents: 1_800 }));
    expect(statusesOf(replies)).toEqual([200]);
    expect(await trail()).toEqual(["payout.finalized", "payout.confirmed"]);
    expect(await sums()).toEqual({ payable: 0, in_payout: 0, paid: 1_800 });
    expect(await posted()).toEqual(["paid", "paid"]);
  },
  { tags: "soak" },
);

manyCalls(
  "parallel calls confirm a final payout or cancel it, never both",
  async (shop) => {
    const { id, finalize, cancel, confirm, get, trail, sums, posted } = shop;
    await finalize(id);
    const replies = await allAtOnce((i) => (i === middle ? cancel(id) : confirm(id)));
    const isCanceled = (await get(id)).status === "canceled";
    expect(statusesOf(replies.filter((_, i) => i !== middle))).toEqual([isCanceled ? 409 : 200]);
    expect(replies[middle]?.status).toBe(isCanceled ? 200 : 409);
    expect(await trail()).toEqual(["payout.finalized", isCanceled ? "payout.canceled" : "payout.confirmed"]);
    expect(await posted()).toEqual(isCanceled ? [] : ["paid", "paid"]);
    expect(await sums()).toEqual({ payable: isCanceled ? 1_800 : 0, in_payout: 0, paid: isCanceled ? 0 : 1_800 });
  },
  { tags: "soak" },
);

manyCalls(
  "parallel calls cancel a final payout once",
  async ({ id, finalize, cancel, trail, sums }) => {
    await finalize(id);
    expect(statusesOf(await allAtOnce(() => cancel(id)))).toEqual([200]);
    expect(await trail()).toEqual(["payout.finalized", "payout.canceled"]);
    expect(await sums()).toEqual({ payable: 1_800, in_payout: 0, paid: 0 });
  },
  { tags: "soak" },
);

manyCalls(
  "parallel calls mark a payout line as failed once",
  async ({ id, alice, confirm, fail, trail, sums, posted }) => {
    await confirm(id);
    expect(statusesOf(await allAtOnce(() => fail(id, alice.id)))).toEqual([200]);
    expect(await trail()).toEqual(["payout.finalized", "payout.confirmed", "payout.line_failed"]);
    expect(await posted()).toEqual(["paid", "paid", "returned"]);
    expect(await sums()).toEqual({ payable: 1_500, in_payout: 0, paid: 300 });
  },
  { tags: "soak" },
);

manyCalls("parallel calls of every kind leave consistent balances", async (shop) => {
  const { id, alice, first, second, get, finalize, confirm, cancel, fail, giveBack, reject, sums } = shop;
  const refund = { refund_id: "r", refund_amount_cents: 2_500 };
  const calls: readonly (() => Promise<{ readonly status: number }>)[] = [
    () => finalize(id),
    () => fail(id, alice.id),
    () => giveBack(first.transaction_id, refund),
    () => reject(second.commissionId),
    () => confirm(id),
    () => cancel(id),
  ];
  // Four calls of a kind follow each other, so that each kind overlaps with the one before.
  const replies = await allAtOnce(
    (i) => calls[Math.floor(i / 4) % calls.length]?.() ?? Promise.reject(new Error("none")),
  );
  expect(statusesOf(replies).filter((status) => status !== 200 && status !== 409)).toEqual([]);

  const { status, lines } = await get(id);
  expect(["paid", "canceled"]).toContain(status);
  const sent = lines.filter(({ failedAt }) => status === "paid" && failedAt === null);
  const paid = sent.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const isRejected = (await shop.statusOf(second.commissionId)) === "rejected";
  expect(await sums()).toEqual({ payable: 1_800 - 500 - (isRejected ? 500 : 0) - paid, in_payout: 0, paid });
});
