import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { Reply } from "../../harness/client.ts";
import type { World, WorldSettings } from "../../harness/world.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { day } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Link {
  readonly code: string;
  readonly madeBy: string;
}

const told = ({ status, body }: Reply<unknown>) => [status, body.error?.details];

async function open(settings?: WorldSettings) {
  const world = await people.world({ partners: [{}, {}], ...settings });
  const path = await partnerSide(world, people.stranger, world.partner.id);
  return {
    world,
    add: (code: string) => people.stranger.post<{ data: Link }>(`${path}/links`, { code }),
    list: async () => (await people.stranger.get<{ data: Link[]; meta: object }>(`${path}/links`)).body,
  };
}

const pause = (world: World, path: string) =>
  people.admin.patch(`/api/programs/${world.programId}${path}`, { status: "paused" });

test("a partner can create five codes in addition to those the program created", async () => {
  const { world, add, list } = await open();
  const made = await add("Summer");
  const link = { code: "Summer", link: "https://shop.example/?aff=Summer", status: "active", madeBy: "partner" };
  expect([made.status, made.body]).toEqual([201, { data: { ...link, createdAt: expect.stringMatching(/Z$/) } }]);
  const visit = { affiliate_url: link.link, program_id: world.programId };
  expect((await sharedApi().click(visit)).body.partner_code).toBe("Summer");
  const owners = `/api/programs/${world.programId}/partners/${world.partner.id}/links`;
  for (const code of ["a", "b", "c", "d"].map((name) => `own-${name}`)) {
    expect((await people.admin.post(owners, { code: `not-${code}` })).status).toBe(201);
    expect((await add(code)).status).toBe(201);
  }
  const full = await add("sixth");
  expect(told(full)).toEqual([409, { code: "links_full", limit: 5 }]);
  expect(full.body.error.message).toBe("You can create at most 5 codes");
  expect((await people.admin.post(owners, { code: "more" })).status).toBe(201);
  const { data, meta } = await list();
  expect(data.map(({ madeBy }) => madeBy).filter((by) => by === "partner")).toHaveLength(5);
  expect(data.map(({ code }) => code)).toContain(world.partner.code);
  expect([data.length, meta]).toMatchObject([11, { websiteUrl: "https://shop.example" }]);
});

test("each of a partner's codes shows its counts of the last 30 days", async () => {
  const shop = await payoutsFixture(people);
  const { world, alice, bob } = shop;
  const path = await partnerSide(world, people.stranger, alice.id);
  const code = "summer";
  await people.admin.post(`/api/programs/${world.programId}/partners/${alice.id}/links`, { code });
  await shop.visit();
  await shop.visit({ affiliate_url: bob.landingUrl });
  const { click_id } = await shop.visit({ affiliate_url: "https://shop.example/?aff=summer" });
  const bot = { affiliate_url: "https://shop.example/?aff=summer", user_agent: "Googlebot/2.1" };
  await shop.visit(bot);
  await shop.lead({ customer_key: "c", click_id });
  await shop.sale({ transaction_id: "t", amount_cents: 4_900, customer_key: "c" });
  await shop.sale({ transaction_id: "u", amount_cents: 1_000, customer_key: "c", currency: "USD" });
  await shop.earn(300);
  await shop.refund({ transaction_id: "t", refund_amount_cents: 2_450, refund_id: "r" });
  const { data, meta } = (await people.stranger.get<{ data: object[]; meta: object }>(`${path}/links`)).body;
  expect(data).toMatchObject([
    { code: alice.code, clicks: 1, leads: 1, sales: 1, commissionCents: 300 },
    { code, clicks: 1, leads: 1, sales: 2, commissionCents: 490 },
  ]);
  const [dateFrom, dateTo] = [Date.now() - 29 * day, Date.now()].map(dateUtc);
  expect(meta).toEqual({ websiteUrl: "https://shop.example", dateFrom, dateTo, currency: "EUR", offer: null });
});

test("a partner's links come with the program's offer for customers while the offer lasts and the partner is active", async () => {
  const { world, alice } = await payoutsFixture(people);
  const path = await partnerSide(world, people.stranger, alice.id);
  const program = `/api/programs/${world.programId}`;
  const set = async (until: string | null) => {
    const offer = { label: "20% off", details: "First year only.", couponIds: { stripe: "TWENTY" }, until };
    const { status, text } = await people.owner.put(`${program}/offer`, { offer });
    expect(status, text).toBe(200);
  };
  const shown = async () => (await people.stranger.get<{ meta: { offer: unknown } }>(`${path}/links`)).body.meta.offer;
  await set(new Date(Date.now() - day).toISOString());
  expect(await shown()).toBe(null);
  await set(null);
  expect(await shown()).toEqual({ label: "20% off", details: "First year only." });
  const paused = await people.owner.patch(`${program}/partners/${alice.id}`, { status: "paused" });
  expect(paused.status, paused.text).toBe(200);
  expect(await shown()).toBe(null);
});

test("a partner who chooses a taken code gets the same refusal, whichever partner has the code", async () => {
  const { world, add } = await open();
  const replies = await Promise.all(world.partners.map(({ code }) => add(code.toUpperCase())));
  const [first] = replies.map(({ body }) => body);
  for (const reply of replies) {
    expect(told(reply)).toEqual([409, { code: "code_taken" }]);
    expect(reply.body).toEqual(first);
  }
  for (const code of ["no spaces", "null"]) expect(invalidFields(await add(code)), code).toEqual(["code"]);
});

test("a partner can try to create twenty codes a day, including refused attempts", async () => {
  const { world, add } = await open();
  const replies = await Promise.all(Array.from({ length: 22 }, () => add(world.partner.code)));
  const statuses = replies.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([...Array<number>(20).fill(409), 429, 429]);
  const last = await add("free");
  expect(last.status).toBe(429);
  expect(last.headers.get("RateLimit-Policy")).toBe('"partner-code";q=20;w=86400');
});

test("a partner can't create a code while the partner or the program is paused", async () => {
  const { world, add } = await open();
  expect((await pause(world, `/partners/${world.partner.id}`)).status).toBe(200);
  expect(told(await add("one"))).toEqual([409, { code: "inactive" }]);
  const other = await open();
  expect((await pause(other.world, "")).status).toBe(200);
  expect(told(await other.add("one"))).toEqual([409, { code: "inactive" }]);
});
