import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { createSession } from "../../harness/session.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { lastMonth, period, thisMonth } from "../support/last-month.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const monthly = { metric: "sales", period: "month", threshold: 1, amountCents: 5_000, currency: "EUR" } as const;

interface Listed {
  readonly data: JsonObject[];
  readonly meta: { readonly due?: JsonObject[]; readonly nextCursor: string | null };
}

async function open() {
  const shop = await payoutsFixture(people);
  const program = `/api/programs/${shop.world.programId}`;
  const path = `${program}/bonuses`;
  return {
    ...shop,
    program,
    path,
    create: (body: JsonObject) => people.admin.post<{ data: JsonObject & { id: number } }>(path, body),
    list: async (query = "") => (await people.viewer.get<Listed>(`${path}${query}`)).body,
    award: (rows: readonly JsonObject[], of = period) =>
      people.admin.post<{ data: JsonObject[] }>(`${path}/award`, { period: of, rows: [...rows] }),
  };
}

test("a bonus is created, listed, shown as due in the list of bonuses and in the to-do list, awarded once, and explained in the statement", async () => {
  const { api, create, list, award, earn, alice, bob, click, lead, sell, program, path, world } = await open();
  const { status, body } = await create({ ...monthly, from: period });
  const { id } = body.data;
  const stored = { ...monthly, id, salesCurrency: null, fromPeriod: period, untilPeriod: null, dismissedAt: null };
  expect([status, body.data]).toEqual([201, { ...stored, createdAt: expect.any(String) }]);
  const again = await create({ ...monthly, from: period });
  expect([again.status, again.body]).toEqual([200, body]);
  const { body: overview } = await api.request<{ data: { commission: string } }>(
    "GET",
    `/api/v1/programs/me/partners/${alice.id}/overview`,
    { key: world.key },
  );
  expect(overview.data.commission).toBe("20% of each sale, plus a bonus of €50.00 for 1 sale a month");
  const join = { mode: "approval", slug: `bonus-${world.programId}`, headline: "", description: "", questions: [] };
  expect((await people.admin.put(`${program}/join`, join)).status).toBe(200);
  const shown = await createSession(sharedService.url).get<typeof overview>(`/api/join/${join.slug}`);
  expect(shown.body.data.commission).toBe(overview.data.commission);
  await earn(900);
  for (const [partner, customer_key] of [
    [alice, "a"],
    [bob, "b"],
  ] as const) {
    await lead({ click_id: click(partner, daysAgo(60)), customer_key, occurred_at: at(daysAgo(59)) });
    await sell({ customer_key, amount_cents: 4_500, occurred_at: at(lastMonth) });
  }
  while ((await list(`?period=${period}`)).data.length < 2) await delay(200);
  const due = { bonusId: id, metric: "sales", salesCurrency: null, count: 1, amountCents: 5_000, currency: "EUR" };
  const listed = (await list(`?period=${period}`)).data;
  const partnerIds = [alice.id, bob.id].toSorted((a, b) => a - b);
  expect(listed).toMatchObject(partnerIds.map((partnerId) => ({ ...due, partnerId })));
  expect((await list(`?period=${thisMonth}`)).data).toEqual([]);
  expect(await list()).toMatchObject({ data: [stored], meta: { due: [{ period, count: 2 }], hasMoreDue: false } });
  const toDo = await people.viewer.get<{ data: JsonObject[] }>(`${program}/to-do`);
  expect(toDo.body.data).toContainEqual(
    expect.objectContaining({ kind: "bonuses", count: 2, amounts: [{ currency: "EUR", cents: 10_000 }], onlyId: null }),
  );

  const rows = [alice, bob].map((of) => ({ bonusId: id, partnerId: of.id }));
  const results = async (...args: Parameters<typeof award>) =>
    (await award(...args)).body.data.map(({ result, code }) => code ?? result);
  expect(await results(rows, thisMonth)).toEqual(["period_running", "period_running"]);
  expect(await results([...rows, { bonusId: id + 1_000, partnerId: alice.id }])).toEqual([
    ...["awarded", "awarded", "not_found"],
  ]);
  expect(await results(rows)).toEqual(["unchanged", "unchanged"]);
  expect((await list(`?period=${period}`)).data).toEqual([]);
  expect((await list()).meta.due).toEqual([]);
  const statement = await people.viewer.get<{ data: { entries: JsonObject[] } }>(
    `${program}/partners/${alice.id}/statement?currency=EUR`,
  );
  expect(statement.text).toContain("Bonus: 1 sale in ");

  const ended = await people.admin.delete<{ data: JsonObject }>(`${path}/${id}`);
  expect(ended.body.data).toMatchObject({ id, untilPeriod: thisMonth });
  expect((await people.admin.delete(`${path}/${id}`)).status).toBe(200);
  const { body: audit } = await people.admin.get<{ data: JsonObject[] }>(`${program}/audit`);
  expect(audit.data.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    `bonus.ended bonus ${id}`,
    ...["bob", "alice"].map(() => expect.stringMatching(/^adjustment.created partner /)),
    "join_page.saved join page",
    `bonus.created bonus ${id}`,
  ]);
  // By her sale of this month, Alice has reached the bonus again.
  expect(await world.rows("select last_month from due_bonuses where program_id = ?", world.programId)).toEqual([
    { last_month: thisMonth },
  ]);

  expect((await people.viewer.post(`${path}/${id}/dismiss`)).status).toBe(403);
  const dismissed = await people.admin.post<{ data: JsonObject }>(`${path}/${id}/dismiss`);
  expect([dismissed.status, dismissed.body.data]).toMatchObject([200, { id, dismissedAt: expect.any(String) }]);
  expect((await people.admin.post(`${path}/${id}/dismiss`)).body).toEqual(dismissed.body);
  expect(await world.rows("select * from due_bonuses where program_id = ?", world.programId)).toEqual([]);
  expect(await results([{ bonusId: id, partnerId: bob.id }])).toEqual(["unchanged"]);
  const newest = (await people.admin.get<{ data: JsonObject[] }>(`${program}/audit`)).body.data[0];
  expect(newest).toMatchObject({ action: "bonus.dismissed", subject: `bonus ${id}` });
  const without = await createSession(sharedService.url).get<typeof overview>(`/api/join/${join.slug}`);
  expect(without.body.data.commission).toBe("20% of each sale");
});

test("a revenue bonus can be created again in the program's new currency", async () => {
  const { create, program } = await open();
  const revenue = { ...monthly, metric: "revenue", threshold: 100_000 };
  expect((await create(revenue)).body.data).toMatchObject({ salesCurrency: "EUR" });
  expect((await people.owner.patch(program, { currency: "USD" })).status).toBe(200);
  const created = await create(revenue);
  expect([created.status, created.body.data]).toMatchObject([201, { salesCurrency: "USD" }]);
  const again = await create(revenue);
  expect([again.status, again.body]).toEqual([200, created.body]);
});

test("the guide's example call creates its bonus, and the guide's call to award bonuses has a valid body", async () => {
  const { create, path } = await open();
  const [terms = "", awards = ""] = blocksOf(readDocument("docs/tiers.md"))
    .slice(2)
    .map(({ text }) => text);
  const { from, ...bonus } = JSON.parse(terms) as JsonObject;
  expect(from).toMatch(/^\d{4}-\d\d$/);
  const { status, body } = await create({ ...bonus, from: period });
  expect([status, body.data]).toMatchObject([201, { ...bonus, fromPeriod: period }]);
  const sent = { ...(JSON.parse(awards) as JsonObject), period };
  const awarded = await people.admin.post<{ data: JsonObject[] }>(`${path}/award`, sent);
  expect(awarded.body.data).toMatchObject([{ result: "refused", code: "not_found" }]);
});

test("invalid bonuses and awards are refused and change nothing, and a viewer can't create or award bonuses", async () => {
  const { create, list, award, path, program, world } = await open();
  const faults: readonly (readonly [string, JsonObject])[] = [
    ["metric", { ...monthly, metric: "clicks" }],
    ["period", { ...monthly, period: "week" }],
    ["threshold", { ...monthly, threshold: 0 }],
    ["threshold", { ...monthly, threshold: 1_000_001 }],
    ["amountCents", { ...monthly, amountCents: -1 }],
    ["currency", { ...monthly, currency: "MONTHS" }],
    ["from", { ...monthly, from: "November" }],
    ["from", { ...monthly, from: "2026-Q4" }],
    ["from", { ...monthly, from: "2099-01" }],
    ["from", { ...monthly, from: "2001-01" }],
  ];
  for (const [field, body] of faults) {
    const refused = await create(body);
    expect([refused.status, invalidFields(refused)]).toEqual([400, [field]]);
  }
  expect((await people.viewer.get(`${path}?period=2026-13`)).status).toBe(400);
  expect((await people.viewer.post(path, { ...monthly })).status).toBe(403);
  expect((await people.viewer.post(`${path}/award`, { period, rows: [{ bonusId: 1, partnerId: 1 }] })).status).toBe(
    403,
  );
  expect((await award([], period)).status).toBe(400);
  expect((await award(Array.from({ length: 501 }, () => ({ bonusId: 1, partnerId: 1 })))).status).toBe(400);
  expect((await people.admin.delete(`${path}/1`)).status).toBe(404);
  expect(await list()).toEqual({ data: [], meta: { due: [], hasMoreDue: false, nextCursor: null } });

  const unit = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
  await people.admin.post(`${program}/units`, unit);
  expect((await create({ ...monthly, amountCents: 2, currency: "months" })).body.data).toMatchObject({
    currency: "MONTHS",
  });
  for (let n = 1; n < 5; n += 1) expect((await create({ ...monthly, threshold: n })).status).toBe(201);
  const full = await create({ ...monthly, threshold: 9 });
  expect([refusalOf(full), full.body]).toMatchObject([
    "409 A program can have at most 5 bonuses at a time. An ended bonus counts until its last period is over.",
    { error: { details: { code: "bonuses_full" } } },
  ]);
  const { data, meta } = await list();
  expect([data.length, meta.nextCursor]).toEqual([5, null]);
  expect(await world.rows("select 1 from adjustments where program_id = ?", world.programId)).toEqual([]);
});
