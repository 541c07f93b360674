import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Tiers } from "#domain/tiers.ts";
import type { Json } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import type { EstimateBody } from "../support/embedded.ts";
import { explained } from "../support/explain.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { partnerPath } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();

const path = ({ programId }: World) => `/api/programs/${programId}`;
const put = (world: World, body: Json) => people.admin.put(`${path(world)}/commission-policy`, body);
const nextOf = async (world: World) =>
  (await people.viewer.get<{ data: { next: Json } }>(`${path(world)}/partners/${world.partner.id}`)).body.data.next;
const reachedOf = async (world: World) => {
  const own = `${partnerPath(world, world.partner.id)}/overview?as=owner`;
  return (await people.owner.get<{ data: { reached: string | null } }>(own)).body.data.reached;
};

const percent = { type: "percent", rateBps: 2_000, scope: "lifetime" } as const;
const steps = [{ threshold: 3, rateBps: 2_500 }];
const tiers = { metric: "sales", period: "month", steps } as const satisfies Tiers;

const sale = (amount_cents: number) => ({ amount_cents });

test("the third sale in a month earns the rate of the tier that begins at 3 sales", async () => {
  const world = await people.world({ policies: [{ tiers }], partners: [{}, {}] });
  const { refer, sell } = salesFixture(programFixture(world, api));
  await refer("u1");
  expect(await nextOf(world)).toEqual({ remaining: 2, metric: "sales", rate: 2_500 });
  expect(await reachedOf(world)).toBeNull();
  const earned = async (transaction_id: string) =>
    (await sell({ customer_key: "u1", transaction_id, ...sale(4_900) })).body.commission.amount_cents;
  expect([await earned("t1"), await earned("t2")]).toEqual([980, 980]);
  while ((await world.rows("select 1 from tier_steps where program_id = ?", world.programId)).length === 0)
    await delay(100);
  // The first step is written only once all earlier sales are counted, so the count is complete here.
  expect(await nextOf(world)).toBeNull();
  expect(await reachedOf(world)).toBe("25%");
  const estimated = await people.owner.post<EstimateBody>(`${partnerPath(world, world.partner.id)}/estimate?as=owner`, {
    ...{ amountCents: 4_900, currency: "EUR", interval: "monthly", months: 2 },
  });
  expect(estimated.body.data.amounts.map(({ amountCents }) => amountCents)).toEqual([1_225, 980]);
  expect(await earned("t3")).toBe(1_225);
  const { data } = (await people.viewer.get<{ data: object[] }>(`${path(world)}/commissions`)).body;
  expect(data[0]).toMatchObject({ transactionId: "t3", rateBps: 2_000, appliedRateBps: 2_500 });
  const { text } = await people.viewer.get(`${path(world)}/commissions?format=csv&columns=accounting`);
  const [head = [], ...lines] = parseCsv(text);
  const rates = lines.map((line) => [line[head.indexOf("order_id")], line[head.indexOf("rate_percent")]]);
  expect(rates).toEqual([
    ["t3", "25"],
    ["t2", "20"],
    ["t1", "20"],
  ]);
  const { commission } = await explained({ api, world }, { transaction_id: "t3" });
  expect(commission?.calculation.map(({ step }) => step)).toEqual(["base", "tier", "rate"]);
  expect(estimated.body.data.steps[1]?.text).toBe(commission?.calculation[1]?.text);
  expect(commission?.calculation[1]?.text).toMatch(/^25%: 2 sales in [A-Z]\w+, reached on the \d+(st|nd|rd|th)$/);
});

describe("a policy with tiers", () => {
  test("a policy with tiers and a rule for everything shows partners no tier, because none ever applies", async () => {
    const rules = [
      { when: { productIds: ["pro"] }, rateBps: 1_000 },
      { when: {}, rateBps: 1_500 },
    ];
    const world = await people.world({
      partners: [{}, {}],
      policies: [{ tiers: { ...tiers, steps: [{ threshold: 2, rateBps: 2_500 }] }, rules }],
    });
    const { refer, sell } = salesFixture(programFixture(world, api));
    await refer("u1");
    await sell({ customer_key: "u1", ...sale(4_900) });
    while ((await world.rows("select 1 from tier_steps where program_id = ?", world.programId)).length === 0)
      await delay(100);
    expect([await nextOf(world), await reachedOf(world)]).toEqual([null, null]);
    const { body } = await sell({ customer_key: "u1", ...sale(10_000) });
    expect(body.commission.amount_cents).toBe(1_500);
  });

  test("a policy with tiers is stored and listed with the fields of its steps in a fixed order", async () => {
    const world = await people.world();
    const sent = { steps: [{ rateBps: 2_500, threshold: 3 }], period: "month", metric: "sales" };
    expect(await put(world, { ...percent, tiers: sent })).toMatchObject({ status: 200, body: { data: { tiers } } });
    const flat = { type: "flat", amountCents: 500, scope: "lifetime" };
    const byRevenue = { metric: "revenue", period: "year", steps: [{ threshold: 1, amountCents: 700 }] };
    expect((await put(world, { ...flat, tiers: byRevenue })).body).toMatchObject({ data: { tiers: byRevenue } });
    expect((await put(world, { ...flat })).body).toMatchObject({ data: { tiers: null } });
  });

  test.each<[string, Json, object?]>([
    ["no metric", { period: "month", steps }],
    ["an unknown metric", { ...tiers, metric: "clicks" }],
    ["an unknown period", { ...tiers, period: "week" }],
    ["no steps", { ...tiers, steps: [] }],
    ["eleven steps", { ...tiers, steps: Array.from({ length: 11 }, (_, i) => ({ threshold: i + 2, rateBps: 1 })) }],
    ["equal thresholds", { ...tiers, steps: [...steps, ...steps] }],
    ["falling thresholds", { ...tiers, steps: [...steps, { threshold: 2, rateBps: 1 }] }],
    ["a threshold of the first sale", { ...tiers, steps: [{ threshold: 1, rateBps: 1 }] }],
    ["a threshold that is no integer", { ...tiers, steps: [{ threshold: 2.5, rateBps: 1 }] }],
    ["a step without a rate", { ...tiers, steps: [{ threshold: 2 }] }],
    ["a step of the other type", { ...tiers, steps: [{ threshold: 2, amountCents: 5 }] }],
    ["a step of both types", { ...tiers, steps: [{ threshold: 2, rateBps: 5, amountCents: 5 }] }],
    ["an unknown field", { ...tiers, steps: [{ threshold: 2, rateBps: 5, label: "x" }] }],
    ["a rate above 100%", { ...tiers, steps: [{ threshold: 2, rateBps: 10_001 }] }],
    ["no object", "month"],
  ])("a policy with tiers is refused with %s, and changes nothing", async (_, sent) => {
    const world = await people.world();
    const refused = await put(world, { ...percent, tiers: sent });
    expect(refused.status).toBe(400);
    expect(new Set(invalidFields(refused)?.map((field) => String(field).split(".")[0]))).toEqual(new Set(["tiers"]));
    expect(await world.rows("select 1 from commission_policies where program_id = ?", world.programId)).toHaveLength(1);
  });
});
