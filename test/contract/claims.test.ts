import { expect, test } from "vitest";
import { dateUtc, dayMs } from "#domain/calendar.ts";
import type { JsonObject } from "../../harness/client.ts";
import { openClaims, soldOn } from "../support/claims-fixture.ts";
import { giveAccess, partnerPath } from "../support/partner-side.ts";
import { at, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { invalidFields, refusedWith, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const openShop = () => openClaims(people);

test("a member finds the sale that a partner reports as missing, and an owner credits it to the partner", async () => {
  const shop = await openShop();
  const { open, list, claims, resolve, sell, saleId, world, alice } = shop;
  await sell("order-1");
  await sell("order-2", { amount_cents: 5_000, customer_key: "d" });
  const body = { amountCents: 4_950, reference: " order-2 ", note: "By phone,\nwith my link" };
  const opened = await open(body);
  const claim = {
    ref: expect.stringMatching(/^[A-Z2-7]{10}$/),
    status: "open",
    paysSale: null,
    day: dateUtc(soldOn),
    amountCents: 4_950,
    currency: "EUR",
    partnerNote: null,
    createdAt: expect.stringMatching(/Z$/),
    decidedAt: null,
  };
  const sent = { ...claim, reference: "order-2", note: "By phone,\nwith my link" };
  expect([opened.status, opened.body]).toEqual([201, { data: { ...sent, own: [] } }]);
  const again = await open(body);
  expect([again.status, again.body]).toEqual([200, opened.body]);
  expect(await list()).toEqual([claim]);

  const [waiting, ...others] = await claims("status=open");
  expect(others).toEqual([]);
  expect(waiting).toMatchObject({
    partner: { id: alice.id },
    status: "open",
    reference: "order-2",
    candidates: [
      { transactionId: "order-2", amountApartCents: 50 },
      { transactionId: "order-1", amountApartCents: 50 },
    ],
    hasMoreSales: false,
  });
  const id = waiting?.id ?? 0;
  const feed = await people.viewer.get<{ data: { events: { data: object }[] } }>(
    `/api/programs/${world.programId}/feed?types=partner.claim_opened`,
  );
  const object = { claim_id: id, partner_id: alice.id, partner_code: alice.code, day: dateUtc(soldOn) };
  expect(feed.body.data.events.map(({ data }) => data)).toEqual([
    { object: { ...object, amount_cents: 4_950, currency: "EUR" } },
  ]);
  const toDo = await people.viewer.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/to-do`);
  expect(toDo.body.data).toMatchObject([{ kind: "claims", count: 1, onlyId: id }]);

  const theirs = { outcome: "theirs", saleId: await saleId("order-2"), payPast: true, partnerNote: "Found it" };
  const resolved = await resolve(id, theirs);
  expect([resolved.status, resolved.body.data]).toMatchObject([
    200,
    {
      claim: { status: "theirs", transactionId: "order-2", payPast: true, partnerNote: "Found it", candidates: [] },
      effects: { sales: 1, amounts: [{ currency: "EUR", cents: 1_000 }] },
      hasMore: false,
    },
  ]);
  expect((await resolve(id, theirs)).body).toEqual(resolved.body);
  expect((await resolve(id, { ...theirs, partnerNote: "Other words" })).body).toEqual(resolved.body);
  for (const other of [
    { outcome: "declined" },
    { ...theirs, payPast: false },
    { ...theirs, saleId: await saleId("order-1") },
  ])
    expect(refusedWith(await resolve(id, other))).toEqual([409, { code: "decided", status: "theirs" }]);
  expect(await list()).toMatchObject([
    { status: "theirs", paysSale: true, partnerNote: "Found it", decidedAt: expect.any(String) },
  ]);
  const commissions = await people.stranger.get<{ data: JsonObject[] }>(`${shop.path}/commissions`);
  expect(commissions.body.data).toMatchObject([{ amountCents: 1_000, date: dateUtc(soldOn) }]);
  expect((await open({ amountCents: 4_950 })).body.data.own).toEqual([commissions.body.data[0]?.ref]);
  const click_id = shop.click(shop.bob, soldOn);
  await sell("bobs", { customer_key: "b", click_id });
  await sell("nobodys", { customer_key: "n" });
  expect((await open({ amountCents: 4_950, note: "again" })).body.data.own).toEqual([commissions.body.data[0]?.ref]);
  const audit = await people.owner.get<{ data: { action: string }[] }>(`/api/programs/${world.programId}/audit`);
  expect(audit.body.data.map(({ action }) => action).slice(0, 5)).toEqual([
    "claim.opened",
    "claim.opened",
    "claim.theirs",
    "customer.assigned",
    "claim.opened",
  ]);
  expect(
    JSON.stringify(await world.rows("select before, after from audit_entries where program_id = ?", world.programId)),
  ).not.toMatch(/By phone|Found it/);
});

test("an admin who accepts a claim about a missing sale credits the partner with the customer's future sales, not with the claimed sale, and can also decline claims", async () => {
  const shop = await openShop();
  const { open, claims, resolve, sell, saleId, list } = shop;
  await sell("order-1");
  await open();
  await open({ note: "again" });
  const [second, first] = await claims();
  const sale = await saleId("order-1");
  const theirs = { outcome: "theirs", saleId: sale };
  expect(refusedWith(await resolve(first?.id ?? 0, { ...theirs, payPast: true }, people.admin))).toEqual([
    403,
    { code: "owner_only" },
  ]);
  expect((await resolve(first?.id ?? 0, theirs, people.viewer)).status).toBe(403);
  const resolved = await resolve(first?.id ?? 0, theirs, people.admin);
  expect(resolved.body.data).toMatchObject({ claim: { payPast: false }, effects: { sales: 0, amounts: [] } });
  expect(await sell("renewal", { occurred_at: at(Date.now()) })).toMatchObject({ partner_code: shop.alice.code });
  expect((await resolve(second?.id ?? 0, { outcome: "declined" }, people.admin)).body.data.claim.status).toBe(
    "declined",
  );
  const answers = async () => (await list()).map(({ status, paysSale }) => [status, paysSale]);
  const later = ["theirs", false];
  expect(await answers()).toEqual([["declined", null], later]);

  // The customer is Alice's for good by now.
  await open({ note: "the first one" });
  const [third] = await claims("status=open");
  expect(refusedWith(await resolve(third?.id ?? 0, { ...theirs, payPast: true }))).toEqual([409, { code: "final" }]);
  const renewal = { outcome: "theirs", saleId: await saleId("renewal") };
  expect((await resolve(third?.id ?? 0, renewal)).body.data.effects).toEqual({ sales: 0, amounts: [] });
  expect(await answers()).toEqual([["theirs", true], ["declined", null], later]);
});

test("accepting a claim about a partner's own unconfirmed sale confirms the sale, even if the decision pays no earlier sales", async () => {
  const { world, alice, browserLead, click, open, claims, resolve, sell, saleId } = await openShop();
  await browserLead({ customer_key: "c", click_id: click(alice, daysAgo(5)) });
  await sell("order-1");
  await open();
  const [claim] = await claims();
  const theirs = { outcome: "theirs", saleId: await saleId("order-1") };
  expect((await resolve(claim?.id ?? 0, theirs, people.admin)).status).toBe(200);
  expect(await world.rows("select is_unconfirmed from commissions where program_id = ?", world.programId)).toEqual([
    { is_unconfirmed: 0 },
  ]);
});

test("an accepted claim shows the partner that the missing sale isn't credited to them if it stays attributed to another partner", async () => {
  const { world, bob, browserLead, click, open, list, claims, resolve, sell, saleId } = await openShop();
  await browserLead({ customer_key: "c", click_id: click(bob, daysAgo(5)) });
  const { commission_id } = await sell("order-1");
  await people.admin.post(`/api/programs/${world.programId}/commissions/${commission_id}/reject`, {
    reason: "Returned",
  });
  await open();
  const [claim] = await claims();
  const theirs = { outcome: "theirs", saleId: await saleId("order-1"), payPast: true };
  expect((await resolve(claim?.id ?? 0, theirs)).body.data.effects).toEqual({ sales: 0, amounts: [] });
  expect(await list()).toMatchObject([{ status: "theirs", paysSale: false }]);
});

test("a claim about a corrected sale is decided with the sale's newest version, whichever version's id is sent", async () => {
  const { world, open, claims, resolve, sell, saleId, alice } = await openShop();
  await sell("order-1", { customer_key: "wrong" });
  const first = await saleId("order-1");
  const correct = async (id: number, body: JsonObject) =>
    (
      await people.admin.post<{ data: { after: { saleId: number } } }>(
        `/api/programs/${world.programId}/sales/${id}/correct`,
        { ...body, reason: "Mistaken" },
      )
    ).body.data.after.saleId;
  const second = await correct(first, { customerKey: "right", amountCents: 5_000 });
  const newest = await correct(second, { customerKey: "right", occurredAt: at(daysAgo(8)) });
  await open();
  await open({ reference: "order-1", amountCents: 4_900 });
  const [named, unnamed] = await claims();
  expect(named?.candidates).toMatchObject([{ saleId: newest, transactionId: "order-1", amountApartCents: 100 }]);
  expect(unnamed?.candidates).toEqual([]);
  const id = named?.id ?? 0;
  const theirs = { outcome: "theirs", payPast: true };
  const resolved = await resolve(id, { ...theirs, saleId: first });
  expect(resolved.body.data).toMatchObject({
    claim: { saleId: newest },
    effects: { sales: 1, amounts: [{ currency: "EUR", cents: 1_000 }] },
  });
  for (const version of [first, second, newest])
    expect((await resolve(id, { ...theirs, saleId: version })).body).toEqual(resolved.body);
  const later = async (customer_key: string) =>
    (await sell(`later ${customer_key}`, { customer_key, occurred_at: at(Date.now()) })).partner_code;
  expect([await later("right"), await later("wrong")]).toEqual([alice.code, undefined]);
});

test("accepting a partner's claim about a sale that could still move to another partner locks the customer to the claiming partner", async () => {
  const { open, claims, resolve, sell, saleId, browserLead, lead, click, all, alice, bob } = await openShop();
  await browserLead({ customer_key: "c", click_id: click(alice, daysAgo(5)) });
  await sell("order-1");
  await open();
  const [claim] = await claims();
  expect(claim?.candidates).toMatchObject([{ partner: { isThis: true, isConfirmed: false } }]);
  const theirs = { outcome: "theirs", saleId: await saleId("order-1"), payPast: true };
  expect((await resolve(claim?.id ?? 0, theirs)).body.data.effects).toEqual({ sales: 0, amounts: [] });
  await lead({ customer_key: "c", click_id: click(bob, daysAgo(4)) });
  expect(await all("commissions")).toMatchObject([{ partner_id: alice.id, is_unconfirmed: 0, amount_cents: 980 }]);

  await open({ note: "again" });
  const [again] = await claims("status=open");
  expect(again?.candidates).toMatchObject([{ partner: { isThis: true, isConfirmed: true } }]);
  expect((await resolve(again?.id ?? 0, theirs)).status).toBe(200);
});

test("a claim about a missing sale that is sent three times at once is opened once, and if two members decide it at once, one decision takes effect", async () => {
  const { open, claims, resolve, sell, saleId, world } = await openShop();
  await sell("order-1");
  const opened = await Promise.all([open(), open(), open()]);
  expect(opened.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
  const [claim, ...others] = await claims();
  expect(others).toEqual([]);
  const theirs = { outcome: "theirs", saleId: await saleId("order-1"), payPast: true };
  const replies = await Promise.all(
    [theirs, { outcome: "declined" }, theirs, { outcome: "declined" }].map((body) => resolve(claim?.id ?? 0, body)),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
  const [one, other] = replies.filter(({ status }) => status === 200);
  expect(one?.body).toEqual(other?.body);
  const entries = await world.rows(
    "select action from audit_entries where program_id = ? and action in ('claim.theirs', 'claim.declined')",
    world.programId,
  );
  expect(entries).toHaveLength(1);
});

test("the feed's event of a new claim about a missing sale has the code of the partner who made the claim", async () => {
  const { open, world, alice, bob } = await openShop();
  await giveAccess(world, { user: people.viewer, partnerId: bob.id });
  await open();
  await people.viewer.post(`${partnerPath(world, bob.id)}/claims`, { day: dateUtc(soldOn) });
  const feed = await people.viewer.get<{ data: { events: { data: { object: JsonObject } }[] } }>(
    `/api/programs/${world.programId}/feed?types=partner.claim_opened`,
  );
  expect(feed.body.data.events.map(({ data }) => data.object.partner_code)).toEqual([alice.code, bob.code]);
});

test("claims about missing sales belong to one partner of one program, and to the live book", async () => {
  const shop = await openShop();
  const other = await openShop();
  const { open, claims, resolve, sell, saleId, world, bob, path } = shop;
  await sell("order-1");
  await open();
  const [claim] = await claims();
  const id = claim?.id ?? 0;
  expect((await other.resolve(id, { outcome: "declined" })).status).toBe(404);
  expect((await resolve(0, { outcome: "declined" })).status).toBe(404);
  await other.sell("elsewhere");
  await shop.sale({ transaction_id: "tested", customer_key: "t", amount_cents: 4_900, ...inTestMode });
  const tested = await world.rows("select id from sales where program_id = ? and is_test = 1", world.programId);
  for (const saleId of [await other.saleId("elsewhere"), Number(tested[0]?.id), 1])
    expect((await resolve(id, { outcome: "theirs", saleId })).status).toBe(404);
  expect((await claims())[0]?.candidates.map(({ transactionId }) => transactionId)).toEqual(["order-1"]);

  expect((await people.stranger.get(`${partnerPath(world, bob.id)}/claims`)).status).toBe(404);
  expect((await people.stranger.post(`${partnerPath(world, bob.id)}/claims`, { day: dateUtc(soldOn) })).status).toBe(
    404,
  );
  await giveAccess(world, { user: people.admin, partnerId: bob.id, role: "view" });
  const viewing = await people.admin.post(`${partnerPath(world, bob.id)}/claims`, { day: dateUtc(soldOn) });
  expect(refusedWith(viewing)).toEqual([403, { code: "view_only" }]);
  expect((await people.owner.get(`${path}/claims?as=owner`)).status).toBe(200);
  expect((await people.owner.post(`${path}/claims?as=owner`, { day: dateUtc(soldOn) })).status).toBe(404);
  await world.write({ sql: "delete from partner_accounts where partner_id = ?", args: [shop.alice.id] });
  world.forged.add("accounts whose access to a partner differs from the audit trail");
  expect([(await open()).status, (await people.stranger.get(`${path}/claims`)).status]).toEqual([404, 404]);
  expect(await saleId("order-1")).toBeGreaterThan(0);
});

test("invalid claims about missing sales, and invalid decisions on them, are refused with the names of the fields", async () => {
  const { open, claims, resolve, world, list, sell, saleId } = await openShop();
  const invalid = async (body: JsonObject) => invalidFields(await open(body));
  expect(await invalid({ day: dateUtc(Date.now() + 3 * dayMs) })).toEqual(["day"]);
  expect(await invalid({ day: dateUtc(daysAgo(402)) })).toEqual(["day"]);
  expect(await invalid({ day: "2026-02-30" })).toEqual(["day"]);
  expect(await invalid({ amountCents: 0, reference: "x".repeat(101), note: " " })).toEqual([
    "amountCents",
    "reference",
    "note",
  ]);
  expect(await invalid({ currency: "EUR" })).toEqual(["currency"]);
  expect(await invalid({ note: "a\u0000b" })).toEqual(["note"]);
  expect(await invalid({ note: "x".repeat(501) })).toEqual(["note"]);
  expect(await invalid({ reference: "a\nb" })).toEqual(["reference"]);
  expect(await list()).toEqual([]);
  const hostile = `<img src=x onerror=alert(1)>"'${"\u202e"}; drop table claims`;
  expect((await open({ reference: hostile, note: hostile })).body.data).toMatchObject({
    reference: hostile,
    note: hostile,
  });
  const [claim] = await claims();
  const id = claim?.id ?? 0;
  await sell("order-1");
  const sale = await saleId("order-1");
  const wrong = async (body: JsonObject) => invalidFields(await resolve(id, body));
  expect(await wrong({ outcome: "open" })).toEqual(["outcome"]);
  expect(await wrong({ outcome: "theirs" })).toEqual(["saleId"]);
  expect(await wrong({ outcome: "declined", saleId: sale })).toEqual(["saleId"]);
  expect(await wrong({ outcome: "declined", payPast: false })).toEqual(["payPast"]);
  expect(await wrong({ outcome: "declined", partnerNote: "x".repeat(501) })).toEqual(["partnerNote"]);
  const unknown = await people.viewer.get(`/api/programs/${world.programId}/claims?status=lost`);
  expect(invalidFields(unknown)).toEqual(["status"]);
});

test("claims about missing sales can only be declined in an archived program, and can't be opened by a paused partner", async () => {
  const { open, claims, resolve, sell, saleId, world, alice } = await openShop();
  await sell("order-1");
  await open();
  const program = `/api/programs/${world.programId}`;
  await people.admin.patch(`${program}/partners/${alice.id}`, { status: "paused" });
  expect(refusedWith(await open({ note: "paused" }))).toEqual([409, { code: "inactive" }]);
  await people.owner.patch(program, { status: "archived" });
  const [claim] = await claims();
  const theirs = { outcome: "theirs", saleId: await saleId("order-1") };
  expect(refusedWith(await resolve(claim?.id ?? 0, theirs))).toEqual([409, { code: "program_archived" }]);
  expect((await resolve(claim?.id ?? 0, { outcome: "declined" })).status).toBe(200);
});
