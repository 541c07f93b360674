import { expect, it } from "vitest";
import { dayMs } from "#domain/calendar.ts";
import { oneOfEach } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import type { ChangeCall, ChangeKind } from "../support/own-ledger.ts";
import { asksNothing } from "../support/payout-calls.ts";
import { openShop, shopClock } from "./signals-shop.ts";

const own = isolatedDatabase();
const now = shopClock.now();
const more = { reason: "r", partnerNote: null };

/**
 * Creates two payouts with a commission each. The first payout releases its commission after the second one is final.
 */
async function givenBack(end: "failed" | "canceled") {
  const shop = await openShop(own.server.url);
  const { world, by, change, refer, sell } = shop;
  const pay = (kind: ChangeKind, asked: object) => {
    const call = { ...by("one"), ...asksNothing, includesChangedUntil: now + dayMs, kind, ...asked };
    return change(call as unknown as ChangeCall) as Promise<{ readonly payout: { readonly id: number } }>;
  };
  const finalize = async () => {
    const { payout } = await pay("create-payout", { currency: "EUR" });
    await pay(end === "failed" ? "confirm-payout" : "finalize-payout", { payoutId: payout.id });
    return payout.id;
  };
  await refer("c1");
  await sell("own");
  const payoutId = await finalize();
  await sell("next", { amountCents: 5_000 });
  await finalize();
  if (end === "failed") await pay("fail-line", { ...more, payoutId, line: { partnerId: world.partner.id } });
  else await pay("cancel-payout", { payoutId });
  return {
    ...shop,
    finalize,
    decided: async (decision: "approved" | "rejected") => {
      const { commissionId } = await shop.soldAs("own");
      expect(await shop.decide(commissionId, decision)).toMatchObject({ ok: true });
    },
    refunded: async () => {
      await shop.refund("own", "rest", { refundId: "r" });
      await shop.refund("own", "cancel", { refundId: "r" });
    },
  };
}

type Held = Awaited<ReturnType<typeof givenBack>>;

const ends = [
  ["canceled", "held", async () => {}],
  ["failed", "held, released and paid", ({ release, finalize }: Held) => release("own").then(finalize)],
  ["failed", "held and approved", ({ decided }: Held) => decided("approved")],
  ["failed", "held and rejected", ({ decided }: Held) => decided("rejected")],
  ["failed", "held, refunded and restored", ({ refunded }: Held) => refunded()],
] as const;

it.each(oneOfEach(ends, ([end]) => end))(
  "the books are consistent if a commission released from a %s payout is %s",
  async (end, _, then) => {
    const shop = await givenBack(end);
    await shop.hold("own");
    expect(await shop.raised()).toMatchObject({ own: "pending, held: by_hand hold" });
    await then(shop);
  },
);
