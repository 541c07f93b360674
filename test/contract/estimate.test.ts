import { expect, test } from "vitest";
import { addMonthsUtc } from "#domain/calendar.ts";
import type { Rule } from "#domain/rules.ts";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import { createSession } from "../../harness/session.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { type EstimateBody, embedded } from "../support/embedded.ts";
import { giveAccess, partnerPath, partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const api = sharedApi();
const payment = { amountCents: 4_900, currency: "EUR" };
const told = ({ status, body }: Reply<unknown>) => [status, body.error?.details?.code ?? body.error?.message];
const amountsOf = ({ status, text, body }: Reply<EstimateBody>) => {
  expect(status, text).toBe(200);
  return body.data.amounts.map(({ amountCents }) => amountCents);
};

/** Opens a program with a join page, a referral page, and a partner's account. */
async function open(settings: WorldSettings = {}) {
  const world = await people.world(settings);
  const { programId } = world;
  const program = `/api/programs/${programId}`;
  const slug = `shop-${programId}`;
  const page = { mode: "approval", slug, headline: "", description: "", questions: [] };
  expect((await people.admin.put(`${program}/join`, page)).status).toBe(200);
  const path = await partnerSide(world, people.stranger, world.partner.id);
  const user = await embedded(api, world);
  return {
    ...{ world, program, slug, page, path },
    ofPartner: (sent: Json = payment, as = people.stranger, query = "") =>
      as.post<EstimateBody>(`${path}/estimate${query}`, sent),
    ofUser: (sent: Json = payment) => user.estimate(sent),
    ofVisitor: (sent: Json = payment) =>
      createSession(sharedService.url).post<EstimateBody>(`/api/join/${slug}/estimate`, sent),
  };
}

const subscription = { ...payment, interval: "monthly" as const };
const rules: readonly Rule[] = [
  { when: { productIds: ["gift"] }, excluded: true },
  { label: "secret", when: { isFirst: true }, rateBps: 5_000 },
  { when: { isRecurring: true, withinMonths: 2, interval: "monthly" }, amountCents: 700 },
];
const months = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
const inMonths = { type: "flat", rateBps: null, amountCents: 2, currency: null, unit: months } as const;

type PolicySettings = NonNullable<WorldSettings["policies"]>[number];

test.each<[string, PolicySettings, JsonObject]>([
  ["a rate", { rateBps: 2_050 }, subscription],
  ["a commission for two months", { scope: "recurring", durationMonths: 2 }, subscription],
  ["a commission for a customer's first sale", { scope: "one_time" }, subscription],
  ["rules and a maximum", { rules, currency: "EUR", maxCommissionCents: 2_000 }, subscription],
  ["rules by product", { rules }, { ...subscription, productId: "gift" }],
  ["an amount in another currency", { type: "flat", amountCents: 500, currency: "USD" }, subscription],
  ["a minimum", { currency: "EUR", minSaleCents: 5_000 }, subscription],
  ["a unit", inMonths, { ...subscription, interval: "quarterly", currency: "USD" }],
])("with %s, the estimate equals what the same sales then earn, on all pages", async (_, policy, asked) => {
  const { world, program, ofPartner, ofUser, ofVisitor } = await open({ policies: [policy], partners: [{}, {}] });
  if (policy.unit) expect((await people.owner.post(`${program}/units`, months)).status).toBe(201);
  const sent = { ...asked, months: 4 };
  const estimated = await ofPartner(sent);
  const { refer, sell } = salesFixture(programFixture(world, api));
  const gap = asked.interval === "quarterly" ? 3 : 1;
  // Twelve months ago, so that none of the payments is in the future.
  const start = addMonthsUtc(Date.now(), -12);
  await refer("c1", { clickAt: start - 3_600_000 });
  const earned: number[] = [];
  for (let n = 0; n < sent.months; n += 1) {
    const { body } = await sell({
      ...{ customer_key: "c1", transaction_id: `t${n}`, amount_cents: 4_900, currency: asked.currency ?? "EUR" },
      ...{ is_recurring: n > 0, subscription_interval: asked.interval ?? null, product_id: asked.productId ?? null },
      occurred_at: new Date(addMonthsUtc(start, n * gap)).toISOString(),
    });
    earned.push(body.commission.amount_cents);
  }
  expect(amountsOf(estimated)).toEqual(earned);
  expect(estimated.body.data.amounts.map(({ month }) => month)).toEqual([0, 1, 2, 3].map((n) => n * gap + 1));
  expect(estimated.body.data.currency).toBe(policy.unit ? "MONTHS" : (asked.currency ?? "EUR"));
  expect(estimated.text).not.toContain("secret");
  expect((await ofUser(sent)).body).toEqual(estimated.body);
  const { productId: _product, ...known } = sent as JsonObject;
  expect((await ofVisitor(sent)).body).toEqual((await ofPartner(known)).body);
});

test("an estimate explains each month's amount in sentences, without internal codes", async () => {
  const { ofPartner, ofVisitor, program } = await open({ policies: [{ scope: "recurring", durationMonths: 2 }] });
  expect((await ofPartner({ ...subscription, months: 5 })).body.data).toEqual({
    amounts: [980, 980, 980, 0, 0].map((amountCents, n) => ({ month: n + 1, amountCents })),
    ...{ currency: "EUR", unit: null },
    steps: [
      { month: 1, text: "Sale of €49.00", cents: 4_900, currency: "EUR" },
      { month: 1, text: "20% of €49.00 = €9.80", cents: 980, currency: "EUR" },
      { month: 4, text: "Sale of €49.00", cents: 4_900, currency: "EUR" },
      {
        month: 4,
        text: "The policy pays for 2 months after the customer's first sale, and that time was over.",
        ...{ cents: 0, currency: "EUR" },
      },
    ],
  });
  expect(await people.owner.post(`${program}/units`, months)).toMatchObject({ status: 201 });
  const inUnit = { type: "flat", amountCents: 2, unit: "MONTHS", scope: "lifetime" };
  expect((await people.admin.put(`${program}/commission-policy`, inUnit)).status).toBe(200);
  const { data } = (await ofVisitor()).body;
  expect(data).toMatchObject({ amounts: [{ month: 1, amountCents: 2 }], currency: "MONTHS", unit: months });
  expect(data.steps.at(-1)).toEqual({
    ...{ month: 1, text: "Flat commission of 2 free months", cents: 2, currency: "MONTHS" },
  });
});

test("a partner's own policy and group decide their estimate, and the group of new partners decides a new partner's estimate", async () => {
  const made = await open({
    groups: [{ name: "Gold", policies: [{ rateBps: 4_000 }] }],
    partners: [{ policies: [{ rateBps: 3_000 }] }, { group: 0 }],
  });
  const { world, program, slug, page, ofPartner, ofVisitor } = made;
  const [, inGroup] = world.partners;
  await giveAccess(world, { user: people.viewer, partnerId: inGroup?.id ?? 0, role: "view" });
  expect(amountsOf(await ofPartner())).toEqual([1_470]);
  const viewed = partnerPath(world, inGroup?.id ?? 0);
  expect(amountsOf(await people.viewer.post(`${viewed}/estimate`, payment))).toEqual([1_960]);
  expect(amountsOf(await ofVisitor())).toEqual([980]);
  const ofGold = await embedded(api, world, { external_id: "u8", group: "Gold" });
  expect(amountsOf(await ofGold.estimate())).toEqual([1_960]);
  expect((await people.admin.put(`${program}/join`, { ...page, slug, groupId: world.groups[0]?.id })).status).toBe(200);
  expect(amountsOf(await ofVisitor())).toEqual([1_960]);
});

test("the estimate of a paused partner or program is 0, and a closed join page has no estimate", async () => {
  const { world, program, page, ofPartner, ofUser, ofVisitor, slug } = await open();
  const lastStep = ({ body }: Reply<EstimateBody>) => body.data.steps.at(-1);
  const nothing = { month: 1, cents: 0, currency: "EUR" };
  const partner = `${program}/partners/${world.partner.id}`;
  expect((await people.admin.patch(partner, { status: "paused" })).status).toBe(200);
  expect(lastStep(await ofPartner())).toEqual({ ...nothing, text: "The partner was paused." });
  expect(amountsOf(await ofUser())).toEqual([980]);
  expect((await people.admin.put(`${program}/join`, { ...page, mode: "closed" })).status).toBe(200);
  const closed = await ofVisitor();
  expect(told(closed)).toEqual([404, "Page not found"]);
  const unknown = await createSession(sharedService.url).post("/api/join/no-such-page/estimate", payment);
  expect(unknown.text).toBe(closed.text);
  expect((await people.admin.put(`${program}/join`, page)).status).toBe(200);
  expect((await people.admin.patch(program, { status: "paused" })).status).toBe(200);
  for (const estimated of [await ofPartner(), await ofUser()]) {
    expect(amountsOf(estimated)).toEqual([0]);
    expect(lastStep(estimated)).toEqual({ ...nothing, text: "The program was paused." });
  }
  expect(told(await ofVisitor())).toEqual([404, "Page not found"]);
  expect(slug).toBe(page.slug);
});

test("an invalid estimate call is refused with the names of the invalid fields, and an estimate stores nothing", async () => {
  const { world, ofPartner, ofUser, ofVisitor } = await open();
  const stored = async () => ({
    ...(await world.allRows({
      events: "select count(*) as n from events where program_id = ?",
      sales: "select count(*) as n from sales where program_id = ?",
      partners: "select count(*) as n from partners where program_id = ?",
      entries: "select count(*) as n from audit_entries where program_id = ?",
    })),
  });
  const before = await stored();
  for (const ask of [ofPartner, ofUser, ofVisitor]) {
    const of = async (change: JsonObject) => invalidFields(await ask({ ...payment, ...change }));
    expect(invalidFields(await ask({}))).toEqual(["amountCents", "currency"]);
    for (const amountCents of [0, -1, 1.5, "49", 10 ** 11 + 1])
      expect(await of({ amountCents })).toEqual(["amountCents"]);
    for (const currency of ["XXQ", "MONTHS", "€", 1]) expect(await of({ currency })).toEqual(["currency"]);
    expect(await of({ interval: "weekly" })).toEqual(["interval"]);
    for (const months of [0, 61, 1.5, "2"]) expect(await of({ months })).toEqual(["months"]);
    expect(amountsOf(await ask({ ...payment, currency: "usd", interval: null }))).toEqual([980]);
    expect(amountsOf(await ask({ ...payment, months: 60 }))).toHaveLength(60);
  }
  for (const ask of [ofPartner, ofUser])
    expect(invalidFields(await ask({ ...payment, productId: "" }))).toEqual(["productId"]);
  expect(amountsOf(await ofVisitor({ ...payment, productId: "" }))).toEqual([980]);
  expect(await stored()).toEqual(before);
});

test("only accounts with access to the partner, and owners who view it, get its estimate", async () => {
  const { path, ofPartner, world } = await open();
  for (const other of [people.owner, people.viewer])
    expect(told(await ofPartner(payment, other))).toEqual([404, "Partner not found"]);
  expect(told(await createSession(sharedService.url).post(`${path}/estimate`, payment))[0]).toBe(401);
  expect(amountsOf(await ofPartner(payment, people.owner, "?as=owner"))).toEqual([980]);
  expect(told(await ofPartner(payment, people.admin, "?as=owner"))).toEqual([404, "Partner not found"]);
  const foreign = await people.world();
  const elsewhere = `${partnerPath(foreign, world.partner.id)}/estimate`;
  expect(told(await people.stranger.post(elsewhere, payment))).toEqual([404, "Partner not found"]);
});
