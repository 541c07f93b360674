import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { User } from "../../harness/session.ts";
import { partnerPath, partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { day } from "../support/program-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Overview {
  readonly data: {
    readonly days: readonly Readonly<Record<string, unknown>>[];
    readonly totals: Readonly<Record<string, number>>;
    readonly balances: readonly Readonly<Record<string, unknown>>[];
    readonly nextPayout: Readonly<Record<string, unknown>>;
    readonly commission: string | null;
  };
  readonly meta: Readonly<Record<string, unknown>>;
}

const read = async (user: User, path: string, query = "") => {
  const { status, text, body } = await user.get<Overview>(`${path}/overview${query}`);
  expect(status, text).toBe(200);
  return body;
};

test("a partner's overview shows the earnings, the balances, and the date when more becomes payable", async () => {
  const shop = await payoutsFixture(people, {
    program: { minimumPayoutCents: 5_000, payoutTerms: "Monthly" },
    policies: [{ holdDays: 10 }],
  });
  const { world, alice, bob } = shop;
  const path = await partnerSide(world, people.stranger, alice.id);
  const [today, yesterday] = [Date.now(), Date.now() - day].map(dateUtc);
  await shop.visit();
  await shop.earn(980);
  await shop.earn(300);
  await shop.earn(50, { currency: "USD" });
  await shop.earn(7_000, { partner: bob });
  await shop.adjust(-200);

  const { data, meta } = await read(people.stranger, path);
  const nothing = { clicks: 0, uniqueClicks: 0, leads: 0, sales: 0, commissionCents: 0 };
  const ofToday = { ...nothing, clicks: 1, uniqueClicks: 1, sales: 3, commissionCents: 1_280 };
  expect(data.days).toHaveLength(7);
  expect(data.days.slice(-2)).toEqual([
    { date: yesterday, ...nothing, leads: 3 },
    { date: today, ...ofToday },
  ]);
  expect(data.totals).toEqual({ ...ofToday, leads: 3 });
  const none = { pendingCents: 0, payableCents: 0, inPayoutCents: 0, carriedCents: 0, paidCents: 0 };
  expect(data.balances).toEqual([
    { ...none, currency: "EUR", pendingCents: 1_280, carriedCents: -200 },
    { ...none, currency: "USD", pendingCents: 50 },
  ]);
  const holdEnd = dateUtc(Date.now() + 10 * day);
  expect(data.nextPayout).toEqual({
    ...{ currency: "EUR", minimumCents: 5_000, terms: "Monthly", payableCents: 0, nextHoldEnd: holdEnd },
  });
  expect(meta).toEqual({
    ...{ period: "7d", dateFrom: dateUtc(Date.now() - 6 * day), dateTo: today },
    ...{ currency: "EUR", otherCurrencies: ["USD"], timezone: "UTC" },
  });

  const inDollars = await read(people.stranger, path, "?currency=USD&period=all");
  expect(inDollars.data.nextPayout).toMatchObject({ currency: "USD", minimumCents: 1, nextHoldEnd: holdEnd });
  expect(inDollars.meta).toMatchObject({ period: "all", dateFrom: yesterday, dateTo: today, otherCurrencies: ["EUR"] });
  const inYen = await read(people.stranger, path, "?currency=JPY");
  expect(inYen.data.nextPayout).toMatchObject({ payableCents: 0, nextHoldEnd: null });
  expect(await read(people.owner, path, "?as=owner")).toEqual({ data, meta });
});

test("a commission from a lead that only a browser sent counts as pending in the partner's overview, with the date when its hold ends", async () => {
  const shop = await payoutsFixture(people, { policies: [{ holdDays: 10 }] });
  const path = await partnerSide(shop.world, people.stranger, shop.alice.id);
  const { click_id } = await shop.visit();
  await shop.browserLead({ customer_key: "c1", click_id });
  await shop.sale({ customer_key: "c1" });
  const { data } = await read(people.stranger, path);
  expect(data.balances).toMatchObject([{ pendingCents: 2_000 }]);
  expect(data.nextPayout.nextHoldEnd).toMatch(/^\d{4}-\d\d-\d\d$/);
});

test("a commission held for review doesn't change the next payable date that the partner sees", async () => {
  const shop = await payoutsFixture(people, { policies: [{ holdDays: 0 }] });
  const path = await partnerSide(shop.world, people.stranger, shop.alice.id);
  const { commissionId } = await shop.earn(1_000);
  const hold = `/api/programs/${shop.world.programId}/commissions/${commissionId}/hold`;
  await people.admin.post(hold, { reason: "odd" });
  expect((await read(people.stranger, path)).data.nextPayout).toMatchObject({ payableCents: 0, nextHoldEnd: null });
});

test("a partner's overview shows revenue only if the program allows it", async () => {
  const shop = await payoutsFixture(people);
  const path = await partnerSide(shop.world, people.stranger, shop.alice.id);
  await shop.earn(100);
  expect((await read(people.stranger, path)).data.totals).not.toHaveProperty("revenueCents");
  const { programId } = shop.world;
  const setting = { partnersSeeRevenue: true };
  expect((await people.admin.patch(`/api/programs/${programId}`, setting)).body).toMatchObject({ data: setting });
  const { data } = await read(people.stranger, path);
  expect([data.totals.revenueCents, data.days.at(-1)?.revenueCents]).toEqual([500, 500]);
  const audited = await shop.world.rows(
    "select before, after from audit_entries where program_id = ? and action = 'program.updated'",
    programId,
  );
  expect(audited.map(({ after }) => JSON.parse(String(after)))).toEqual([setting]);
});

test("a partner's overview refuses an invalid value of dateFrom, period, currency or as", async () => {
  const world = await people.world();
  const path = await partnerSide(world, people.stranger, world.partner.id);
  for (const [query, field] of [
    ["dateFrom=2026-01-01", "dateFrom"],
    ["dateFrom=2026-02-01&dateTo=2026-01-01", "dateFrom"],
    ["period=1y", "period"],
    ["currency=eu", "currency"],
    ["as=viewer", "as"],
  ]) {
    const reply = await people.stranger.get(`${partnerPath(world, world.partner.id)}/overview?${query}`);
    expect([reply.status, invalidFields(reply)], path).toEqual([400, [field]]);
  }
});

test("a partner's overview shows the commission on the next sales, by the policy of the partner, their group, or the program", async () => {
  const world = await people.world({
    policies: [{ rateBps: 2_000 }],
    groups: [{ name: "Gold" }],
    partners: [{}, { group: 0 }],
  });
  const [partner, other] = world.partners;
  const groupId = world.groups[0]?.id ?? 0;
  const path = await partnerSide(world, people.stranger, partner?.id ?? 0);
  const commission = async () => (await read(people.stranger, path)).data.commission;
  const program = `/api/programs/${world.programId}`;
  const set = async (policy: object) => {
    const { status, text } = await people.admin.put(`${program}/commission-policy`, policy as never);
    expect(status, text).toBe(200);
  };
  const percent = (rateBps: number) => ({ type: "percent", rateBps, scope: "lifetime" });
  expect(await commission()).toBe("20% of each sale");
  await set({ ...percent(3_000), groupId });
  await set({ ...percent(9_000), partnerId: other?.id ?? 0 });
  expect(await commission()).toBe("20% of each sale");
  await people.admin.post(`${program}/groups/${groupId}/partners`, { partnerIds: [partner?.id ?? 0] });
  expect(await commission()).toBe("30% of each sale");
  await set({
    ...percent(4_000),
    partnerId: partner?.id ?? 0,
    rules: [{ label: "Secret", when: { isFirst: true }, rateBps: 5_000 }],
  });
  expect(await commission()).toBe("40% of each sale; 50% on a customer's first sale");
  await set({ type: "none", partnerId: partner?.id ?? 0 });
  expect(await commission()).toBe("30% of each sale");
  await set({ type: "none", groupId });
  await set({ type: "none" });
  expect(await commission()).toBe(null);
});
