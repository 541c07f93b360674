import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { explained } from "../support/explain.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

async function sold() {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  const { partner_code } = (await shop.sell({ transaction_id: "t" })).body;
  const path = `/api/programs/${world.programId}`;
  const write = async (rest: string, body: JsonObject = {}, user = people.admin) => {
    const reply = await user.post<{ data: { id: number } }>(`${path}/payouts${rest}`, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body.data.id;
  };
  const payout = await write("", { currency: "EUR", reference: "2026-03" });
  const commission = async () => {
    const { verdict, commission: found } = await explained(shop, { transaction_id: "t" });
    const { body } = await people.viewer.get<{ data: { inPayout: boolean }[] }>(`${path}/commissions`);
    const entries = found?.entries.map(({ kind, payout: by }) => [kind, by?.state ?? null, by?.by.name ?? null]);
    return { status: found?.status, message: verdict.message, entries, inPayout: body.data[0]?.inPayout };
  };
  const message = async (query = {}) =>
    (await explained(shop, { transaction_id: "t", ...query })).verdict.message.replace(
      `Partner ${partner_code}`,
      "Alice",
    );
  return { shop, write, payout, commission, message };
}

test("an explanation names the payout that reserved or paid each ledger entry, and the payout's author", async () => {
  const { shop, write, payout, commission } = await sold();
  expect(await commission()).toMatchObject({ inPayout: false, entries: [["earned", null, null]] });
  await write(`/${payout}/finalize`);
  expect(await commission()).toEqual({
    status: "approved",
    message: expect.stringMatching(/ earned €2\.00 on this sale; it was approved and is in payout 2026-03\.$/),
    entries: [["earned", "reserved", "admin"]],
    inPayout: true,
  });
  await write(`/${payout}/confirm`, {}, people.owner);
  await shop.giveBack("t", { refund_amount_cents: 500 });
  expect(await commission()).toEqual({
    status: "paid",
    message: expect.stringMatching(/; €2\.00 was paid out with payout 2026-03, and the next payout deducts €1\.00\.$/),
    entries: [
      ["earned", "paid", "owner"],
      ["reversed", null, null],
    ],
    inPayout: false,
  });
});

test("the explanation of a sale refunded after a payout says what payouts paid and deducted, and what they will deduct", async () => {
  const { shop, write, payout, message } = await sold();
  const refund = (refund_id: string, body: JsonObject = {}) => shop.giveBack("t", { refund_id, ...body });
  await write(`/${payout}/finalize`);
  await refund("all");
  const nothing = "Alice earned nothing on this sale, because all of it was refunded";
  expect(await message()).toBe(`${nothing}, and the next payout deducts the €2.00 already in payout 2026-03.`);
  await refund("all", { cancel: true });
  expect(await message()).toBe("Alice earned €2.00 on this sale; it was approved and is in payout 2026-03.");
  await refund("half", { refund_amount_cents: 500 });
  const half = "Alice earned €1.00 on this sale, part of which was refunded";
  expect(await message()).toBe(`${half}; €2.00 is in payout 2026-03, and the next payout deducts €1.00.`);
  await write(`/${payout}/confirm`, {}, people.owner);
  expect(await message()).toBe(`${half}; €2.00 was paid out with payout 2026-03, and the next payout deducts €1.00.`);
  expect(await message({ refund_id: "half" })).toMatch(
    /, which is now €1\.00; €2\.00 was paid out with payout 2026-03, and the next payout deducts €1\.00\.$/,
  );
  await refund("rest");
  expect(await message()).toBe(`${nothing}, and the next payout deducts the €2.00 already paid.`);
  await refund("rest", { cancel: true });
  await shop.sell({ transaction_id: "later", amount_cents: 5_000 });
  const april = await write("", { currency: "EUR", reference: "2026-04" });
  await write(`/${april}/finalize`);
  expect(await message()).toBe(`${half}; €2.00 was paid out with payout 2026-03, and payout 2026-04 deducts €1.00.`);
  await refund("second rest");
  expect(await message()).toBe(
    `${nothing}; €2.00 was paid out with payout 2026-03, payout 2026-04 deducts €1.00, and the next payout deducts €1.00.`,
  );
  await refund("second rest", { cancel: true });
  await write(`/${april}/confirm`, {}, people.owner);
  await refund("half", { cancel: true });
  expect(await message()).toBe(
    "Alice earned €2.00 on this sale; €2.00 was paid out with payout 2026-03, payout 2026-04 deducted €1.00, and the next payout adds €1.00.",
  );
  await write(`/${payout}/lines/${shop.alice.id}/fail`, { reason: "account closed" });
  await refund("again", { refund_amount_cents: 500 });
  expect(await message()).toBe("Alice earned €1.00 on this sale; it was approved and can be paid out.");
});

test.each(["cancel", "fail"])(
  "an explanation names no payout for a commission released from a payout: %s",
  async (how) => {
    const { shop, write, payout, commission } = await sold();
    await write(`/${payout}/${how === "cancel" ? "finalize" : "confirm"}`);
    if (how === "cancel") await write(`/${payout}/cancel`);
    else await write(`/${payout}/lines/${shop.alice.id}/fail`, { reason: "account closed" });
    expect(await commission()).toEqual({
      status: "approved",
      message: expect.stringMatching(/; it was approved and can be paid out\.$/),
      entries: [["earned", null, null]],
      inPayout: false,
    });
  },
);
