import { expect, test } from "vitest";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { type Statement, statementPath } from "../support/statements-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger", "suspended");

const open = () =>
  payoutsFixture(people, { partners: [{ name: "Anna" }, { name: "Bob" }], policies: [{ holdDays: 0 }] });
type PayoutsFixture = Awaited<ReturnType<typeof open>>;

const payFor = async (shop: PayoutsFixture, reference: string, currency = "EUR") => {
  const { body } = await shop.create({ reference, currency });
  const { status, text } = await shop.confirm(body.data.id);
  expect(status, text).toBe(200);
  return body.data.id;
};
const numbersOf = (shop: PayoutsFixture, partnerId = shop.alice.id) =>
  shop.world.rows(
    "select statement_number as n from payout_lines where partner_id = ? and state <> 'skipped' order by id",
    partnerId,
  );
const read = async (shop: PayoutsFixture, query: string) =>
  (await people.owner.get<Statement>(statementPath(shop) + query)).body.data;

test("a partner's payments are numbered in order across currencies, and keep their numbers", async () => {
  const shop = await open();
  await shop.earn(1_000);
  await payFor(shop, "first");
  await shop.earn(500, { currency: "USD" });
  const dollars = await payFor(shop, "dollars", "USD");
  await shop.fail(dollars, shop.alice.id);
  await shop.earn(300);
  await shop.earn(200, { partner: shop.bob });
  const { body: draft } = await shop.create({ reference: "second" });
  expect(draft.data.lines.map((line) => line.statementNumber)).toEqual([null, null]);
  await shop.finalize(draft.data.id);
  const confirmed = await Promise.all([1, 2, 3].map(() => shop.confirm(draft.data.id)));
  expect(confirmed.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await numbersOf(shop)).map(({ n }) => n)).toEqual([1, 2, 3]);
  expect((await numbersOf(shop, shop.bob.id)).map(({ n }) => n)).toEqual([1]);
  expect(await shop.world.audit()).toEqual([]);
});

test("payouts that are confirmed concurrently have distinct statement numbers for each partner", async () => {
  const shop = await open();
  for (const currency of ["EUR", "USD", "JPY", "CHF"]) await shop.earn(1_000, { currency });
  const drafts = await Promise.all(["EUR", "USD", "JPY", "CHF"].map((currency) => shop.create({ currency })));
  await Promise.all(drafts.map(({ body }) => shop.confirm(body.data.id)));
  expect((await numbersOf(shop)).map(({ n }) => n).toSorted()).toEqual([1, 2, 3, 4]);
  expect(await shop.world.audit()).toEqual([]);
});

test("the statement of a payment has all entries since the previous payment in its currency, and never changes", async () => {
  const shop = await open();
  const first = await shop.earn(1_000);
  await payFor(shop, "first");
  await shop.giveBack(first.transaction_id, { refund_amount_cents: 1_000 });
  await shop.earn(900);
  await shop.earn(700, { currency: "USD" });
  await payFor(shop, "dollars", "USD");
  await payFor(shop, "second");
  const path = `${statementPath(shop)}?number=3`;
  const before = await people.owner.get(path);
  await shop.earn(50);
  await payFor(shop, "third");
  await people.admin.patch(`/api/programs/${shop.world.programId}`, { timezone: "Pacific/Honolulu" });
  await people.admin.patch(`/api/programs/${shop.world.programId}/partners/${shop.alice.id}`, { name: "Anna B." });
  const after = await people.owner.get(path);
  expect(after.text.replace("Pacific/Honolulu", "UTC")).toBe(before.text);

  const data = await read(shop, "?number=3");
  expect(data.entries.map(({ kind, amountCents }) => [kind, amountCents])).toEqual([
    ["reversed", -200],
    ["earned", 900],
    ["paid", -700],
  ]);
  const today = new Date().toISOString().slice(0, 10);
  expect(data).toMatchObject({
    ...{ number: 3, name: "Anna", currency: "EUR", from: today, to: today, paidOn: today },
    ...{ openingCents: 0, earnedCents: 900, refundedCents: -200, paidCents: -700, closingCents: 0 },
  });
  expect(data.entries[1]).toMatchObject({ saleOn: today, ref: expect.stringMatching(/^[A-Z0-9]{10}$/) });
  expect(await read(shop, "?number=2&currency=EUR")).toMatchObject({ currency: "USD", paidCents: -700 });
  expect((await people.owner.get(`${statementPath(shop)}?number=5`)).status).toBe(404);
  expect((await people.owner.get(`${statementPath(shop)}?number=0`)).status).toBe(400);
});

test("a payment's statement shows later changes of the commissions that it paid, and when the payment was returned, with the same sums", async () => {
  const shop = await open();
  const { world, alice, bob } = shop;
  const side = await partnerSide(world, people.stranger, alice.id);
  const [refunded, corrected] = [await shop.earn(1_000), await shop.earn(2_000)];
  const { body } = await shop.create({ reference: "first" });
  await shop.finalize(body.data.id);
  // The next payment pays these commissions, though the first payment's statement lists Anna's.
  const next = [await shop.earn(600), await shop.earn(500, { partner: bob })];
  expect((await shop.confirm(body.data.id)).status).toBe(200);
  const before = await read(shop, "?number=1");
  expect(before.entries.map(({ amountCents }) => amountCents)).toEqual([1_000, 2_000, 600, -3_000]);
  expect(before).toMatchObject({ returnedOn: null, creditedOn: null, changedLater: null });

  const lastOn = new Date().toISOString().slice(0, 10);
  await shop.giveBack(refunded.transaction_id, { refund_amount_cents: 500 });
  const { id: saleId } = await shop.saleRow(corrected.transaction_id);
  const { status, text } = await people.admin.post(`/api/programs/${world.programId}/sales/${saleId}/correct`, {
    ...{ amountCents: 7_500, reason: "typo" },
  });
  expect(status, text).toBe(200);
  await shop.earn(900);
  const second = await shop.get(await payFor(shop, "second"));
  for (const { transaction_id } of next) await shop.giveBack(transaction_id);
  await shop.earn(5_000);
  await shop.earn(5_000, { partner: bob });
  const { body: third } = await shop.create({ reference: "third" });

  const changedLater = (amountCents: number) => ({ amountCents, lastOn });
  const after = await read(shop, "?number=1");
  // The corrected sale's new commission of 1,500 belongs to the second payment.
  expect(after).toEqual({ ...before, changedLater: changedLater(-2_100) });
  expect((await people.stranger.get(`${side}/statement?number=1`)).text).toBe(
    (await people.owner.get(`${statementPath(shop)}?number=1`)).text,
  );
  const later = async (partnerId: number, number: number) =>
    (await people.owner.get<Statement>(`${statementPath(shop, partnerId)}?number=${number}`)).body.data.changedLater;
  expect([await later(alice.id, 2), await later(bob.id, 1)]).toEqual([changedLater(-600), changedLater(-500)]);
  const deducted = [second, third.data].map(({ lines }) =>
    Object.fromEntries(lines.map((line) => [line.partnerId, line.broughtForwardCents])),
  );
  expect(deducted).toEqual([
    { [alice.id]: -2_100, [bob.id]: 0 },
    { [alice.id]: -600, [bob.id]: -500 },
  ]);

  expect((await shop.fail(body.data.id, alice.id)).status).toBe(200);
  // The commissions of a returned payment are payable again.
  expect(await read(shop, "?number=1")).toEqual({ ...before, returnedOn: lastOn });
  expect(await later(alice.id, 2)).toEqual(changedLater(-600));
  expect(await read(shop, "")).toMatchObject({ returnedOn: null, creditedOn: null, changedLater: null });
  const payouts = await people.stranger.get<{ data: { reference: string; failedAt: string | null }[] }>(
    `${side}/payouts`,
  );
  expect(payouts.body.data.map(({ failedAt }) => failedAt?.slice(0, 10) ?? null)).toEqual([null, lastOn]);
});

const details = {
  ...{ method: "bank", account: "DE89370400440532013000", holder: "Anna", taxId: "DE-TAX-1" },
  address: "Musterweg 1\n10115 Berlin",
};

test("an owner and the partner receive the same statement file, and only they see the partner's postal address", async () => {
  const shop = await open();
  const { world, alice } = shop;
  const issuer = { name: "Shop B.V.", address: "Gracht 1\nAmsterdam", taxId: null };
  await people.owner.patch(`/api/programs/${world.programId}`, { issuer, payoutTerms: "On the 1st" });
  const side = await partnerSide(world, people.stranger, alice.id);
  await partnerSide(world, people.suspended, alice.id);
  const set = await people.stranger.put(`${side}/payment`, { ...details, password: people.stranger.password });
  expect(set.status, set.text).toBe(200);
  await shop.earn(1_000);
  await payFor(shop, "first");
  for (const query of ["?number=1", "", "?from=2026-01-01&format=csv", "?number=1&format=csv"]) {
    const [owned, own] = await Promise.all([
      people.owner.get(statementPath(shop) + query),
      people.stranger.get(`${side}/statement${query}`),
    ]);
    expect([owned.status, own.text]).toEqual([200, owned.text]);
  }
  for (const query of ["?number=1", ""]) {
    const texts = [
      await people.admin.get(statementPath(shop) + query),
      await people.viewer.get(statementPath(shop) + query),
      await people.suspended.get(`${side}/statement${query}`),
      await people.owner.get(`${side}/statement${query}${query === "" ? "?" : "&"}as=owner`),
    ].map(({ text }) => text);
    for (const text of texts) {
      expect(text).not.toMatch(/Musterweg|DE-TAX/);
      expect(text).toContain("Gracht 1");
    }
    expect(await read(shop, query)).toMatchObject({ issuer, address: details.address, taxId: "DE-TAX-1" });
  }

  await people.stranger.put(`${side}/payment`, {
    ...details,
    address: "Elsewhere 2",
    password: people.stranger.password,
  });
  expect((await read(shop, "?number=1")).address).toBe(details.address);
  expect((await read(shop, "")).address).toBe("Elsewhere 2");
  const erased = await people.owner.post(`/api/programs/${world.programId}/partners/${alice.id}/erase`, {
    ...{ confirm: true, writeOff: true },
  });
  expect(erased.status, erased.text).toBeLessThan(300);
  for (const query of ["?number=1", ""]) expect(await read(shop, query)).toMatchObject({ address: null, taxId: null });
  expect(await world.audit()).toEqual([]);
});
