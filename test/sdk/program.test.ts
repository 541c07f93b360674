import { expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import type { TrackingProblem } from "../../sdk/src/index.ts";
import { type PageResult, type Partner, TributaryProgram } from "../../sdk/src/program.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { customer, order } from "./integration.ts";

const people = usersOfFile();

/** Opens a program with a client for each of its keys. */
async function integrate(settings: WorldSettings = {}) {
  const shop = await createProgramFixture({ members: people.members(), ...settings });
  const problems: TrackingProblem[] = [];
  const onError = (problem: TrackingProblem) => void problems.push(problem);
  const clients = shop.world.keys.map(
    (apiKey) => new TributaryProgram({ apiKey, baseUrl: sharedService.url, onError, onWarning: () => {} }),
  );
  const [tributary] = clients;
  if (tributary === undefined) throw new Error("the program has no key");
  return { shop, tributary, clients, problems };
}

const anna = { name: "Anna", code: "anna", email: "anna@partners.example", externalId: "user-7" } as const;

test("a partner is created once, however often the call is sent, and the partner's link works", async () => {
  const { shop, tributary, problems } = await integrate();
  const created = await tributary.partners.create({ ...anna, destinationUrl: "https://shop.example/welcome" });
  expect(created).toEqual({
    ok: true,
    status: 201,
    error: null,
    requestId: expect.stringMatching(/^\w{8,}$/),
    data: {
      ...anna,
      id: expect.any(Number),
      groupId: null,
      link: "https://shop.example/welcome?aff=anna",
      destinationUrl: "https://shop.example/welcome",
      status: "active",
      riskExempt: false,
      createdAt: expect.stringMatching(/Z$/),
    },
  });
  expect(await tributary.partners.create({ ...anna, destinationUrl: "" })).toMatchObject({
    ok: true,
    status: 200,
    data: { id: created.data?.id },
  });
  const click = await tributary.trackClick({ affiliateUrl: created.data?.link ?? "" });
  expect(click).toMatchObject({ ok: true, data: { partnerCode: "anna" } });
  expect(await tributary.partners.list()).toMatchObject({ data: { length: 3 }, nextCursor: null });
  expect(shop.world.partners).toHaveLength(2);
  expect(problems).toEqual([]);
});

test("the error of a refused creation names what differs or is taken, and isn't retryable", async () => {
  const { tributary, problems } = await integrate();
  await tributary.partners.create(anna);
  const refused = (details: object) => ({ ok: false, status: 409, retryable: false, error: { details } });
  expect(await tributary.partners.create({ ...anna, name: "Bea", code: "bea" })).toMatchObject(
    refused({ code: "differs", differences: ["name", "code"] }),
  );
  expect(await tributary.partners.create({ name: "Bea", code: "ANNA" })).toMatchObject(refused({ code: "code_taken" }));
  const bea = await tributary.partners.create({ name: "Bea", code: "bea" });
  expect(await tributary.partners.update(bea.data?.id ?? 0, { externalId: "user-7" })).toMatchObject(
    refused({ code: "external_id_taken" }),
  );
  expect(await tributary.partners.create({ name: "Cleo", code: "c", email: "no" })).toMatchObject({
    ok: false,
    status: 400,
    retryable: false,
    error: { details: { errors: [{ path: ["code"] }, { path: ["email"] }] } },
  });
  expect(problems.map(({ source, failure }) => [source, failure?.status])).toEqual([
    ...Array(3).fill(["partners", 409]),
    ["partners", 400],
  ]);
});

test("an update changes only the given fields of a partner, and null removes a value", async () => {
  const { tributary } = await integrate();
  const { data } = await tributary.partners.create({ ...anna, destinationUrl: "https://shop.example/welcome" });
  const id = data?.id ?? 0;
  expect(await tributary.partners.update(id, { name: "Anna B.", status: "paused", email: undefined })).toMatchObject({
    ok: true,
    status: 200,
    data: { ...anna, id, name: "Anna B.", status: "paused", destinationUrl: "https://shop.example/welcome" },
  });
  const emptied = { email: null, externalId: null, destinationUrl: null };
  expect(await tributary.partners.update(id, emptied)).toMatchObject({ ok: true, data: { ...emptied, code: "anna" } });
  expect(await tributary.partners.update(id + 1_000_000, { name: "x" })).toMatchObject({
    ok: false,
    status: 404,
    retryable: false,
    error: { name: "NotFoundError", message: "Partner not found" },
  });
});

test("partners are found by their external id, and pages contain each partner once", async () => {
  const { tributary } = await integrate({ partners: Array.from({ length: 120 }, () => ({})) });
  await tributary.partners.create(anna);
  expect(await tributary.partners.list({ externalId: "user-7" })).toMatchObject({ ok: true, data: [anna] });
  expect(await tributary.partners.list({ externalId: "user-8" })).toMatchObject({ ok: true, data: [] });

  const pages: PageResult<Partner>[] = [];
  for await (const page of tributary.partners.pages()) pages.push(page);
  expect(pages.map(({ data }) => data?.length)).toEqual([50, 50, 21]);
  const ids = pages.flatMap(({ data }) => data ?? []).map(({ id }) => id);
  expect(new Set(ids).size).toBe(121);
  const cursor = pages[0]?.ok ? pages[0].nextCursor : null;
  expect(await tributary.partners.list({ cursor })).toMatchObject({ data: pages[1]?.data });
  let rest = 0;
  for await (const { data } of tributary.partners.pages({ cursor })) rest += data?.length ?? 0;
  expect(rest).toBe(71);
});

test("a coupon is created, found and changed, and a sale with its code is attributed to its partner", async () => {
  const { shop, tributary, clients, problems } = await integrate({ keys: [{}, { scopes: ["read"] }] });
  const { alice } = shop;
  const validUntil = new Date(Date.now() + 86_400_000);
  const created = await tributary.coupons.create({ codes: ["ALICE10", "promo_1"], partnerId: alice.id, validUntil });
  expect(created).toMatchObject({
    ok: true,
    status: 201,
    data: {
      id: expect.any(Number),
      codes: ["ALICE10", "promo_1"],
      partnerId: alice.id,
      partnerCode: alice.code,
      partnerName: expect.any(String),
      status: "active",
      validFrom: null,
      validUntil: validUntil.toISOString(),
      createdAt: expect.stringMatching(/Z$/),
    },
  });
  const id = created.data?.id ?? 0;
  await tributary.coupons.create({ codes: ["other"], partnerId: alice.id, status: "paused" });
  expect(await tributary.trackSale({ ...order, couponCodes: [" alice10 "] })).toMatchObject({
    ok: true,
    data: { attributed: true, source: "coupon", partnerCode: alice.code },
  });
  expect(await tributary.coupons.list({ code: "alice10" })).toMatchObject({ data: [{ id }], nextCursor: null });
  expect(await tributary.coupons.list({ partnerId: alice.id })).toMatchObject({ data: [{ codes: ["other"] }, { id }] });
  expect(await tributary.coupons.update(id, { status: "paused", validUntil: null })).toMatchObject({
    ok: true,
    status: 200,
    data: { id, status: "paused", validUntil: null },
  });
  expect(problems).toEqual([]);

  expect(await tributary.coupons.create({ codes: ["Alice10"], partnerId: alice.id })).toMatchObject({
    ok: false,
    status: 409,
    retryable: false,
    error: { details: { code: "coupon_taken", couponId: id, couponCode: "ALICE10" } },
  });
  const turned = { validFrom: "2026-02-01T00:00:00Z", validUntil: "2026-01-01T00:00:00Z" };
  expect(await tributary.coupons.update(id, turned)).toMatchObject({
    ok: false,
    status: 400,
    error: { details: { code: "never_valid" } },
  });
  expect(await clients[1]?.coupons.list()).toMatchObject({ status: 403, error: { details: { needed: "manage" } } });
});

test("a failed page ends the iteration over pages", async () => {
  const { tributary, problems } = await integrate();
  const pages: unknown[] = [];
  for await (const page of tributary.partners.pages({ cursor: "x" })) pages.push(page);
  expect(pages).toMatchObject([{ ok: false, status: 400, error: { details: { errors: [{ path: ["cursor"] }] } } }]);
  expect(problems).toHaveLength(1);
});

test("customers, commissions, balances and payouts are listed", async () => {
  const { shop, tributary } = await integrate({ policies: [{ holdDays: 0 }] });
  const { alice, world } = shop;
  await tributary.trackLead({ ...customer, clickId: shop.click(alice) });
  await tributary.trackSale(order);
  await tributary.trackSale({ ...order, customerExternalId: "organic", invoiceId: "invoice-2" });
  const sums = [{ currency: "EUR", amountCents: 10_000, refundedCents: 0, commissionCents: 2_000 }];
  expect(await tributary.customers.list({ attributed: true, hasSale: true, q: "user-" })).toMatchObject({
    ok: true,
    data: [{ customerKey: "user-1", partnerCode: alice.code, source: "click", locked: true, sales: 1, sums }],
    nextCursor: null,
  });
  expect(await tributary.customers.list({ attributed: false })).toMatchObject({
    data: [{ customerKey: "organic", partnerCode: null, otherSales: 1, sums: [], partial: false }],
  });
  expect(await tributary.commissions.list({ partnerId: alice.id, currency: "EUR", status: "approved" })).toMatchObject({
    ok: true,
    data: [
      {
        transactionId: "invoice-1",
        customerKey: "user-1",
        amountCents: 2_000,
        source: "click",
        sub: null,
        inPayout: false,
      },
    ],
    nextCursor: null,
  });
  expect(await tributary.commissions.list({ status: "void", reason: "customer_not_found" })).toMatchObject({
    data: [{ transactionId: "invoice-2", partnerId: null }],
  });
  expect(await tributary.commissions.list({ dateFrom: "2020-01-01", dateTo: "2020-01-02" })).toMatchObject({
    data: [],
  });
  const balance = { partnerId: alice.id, partnerCode: alice.code, currency: "EUR", payableCents: 2_000 };
  expect(await tributary.balances.list({ currency: "EUR" })).toMatchObject({ ok: true, data: [balance] });

  const payouts = `/api/programs/${world.programId}/payouts`;
  const { body } = await people.owner.post<{ data: { id: number } }>(payouts, { currency: "EUR", reference: "p" });
  expect((await people.owner.post(`${payouts}/${body.data.id}/finalize`, {})).status).toBe(200);
  expect(await tributary.payouts.list()).toMatchObject({
    ok: true,
    data: [{ id: body.data.id, reference: "p", status: "final", totalCents: 2_000, lineCount: 1 }],
  });
  const reserved = tributary.payouts.commissions(body.data.id);
  expect(await reserved.list()).toMatchObject({ data: [{ transactionId: "invoice-1", inPayout: true }] });
  expect(await tributary.payouts.commissions(body.data.id + 1_000_000).list()).toMatchObject({
    ok: false,
    status: 404,
    retryable: false,
    error: { message: "Payout not found" },
  });
});

test("sales are listed and looked up by their ids", async () => {
  const { shop, tributary } = await integrate();
  await tributary.trackLead({ ...customer, clickId: shop.click(shop.alice) });
  await tributary.trackSale(order);
  await tributary.trackRefund({ invoiceId: order.invoiceId, refundId: "r", amount: 400 });
  const sale = { transactionId: "invoice-1", amountCents: 10_000, currency: "EUR", refundedCents: 400 };
  const known = { ...sale, occurredAt: expect.stringMatching(/Z$/), partnerCode: shop.alice.code };
  const later = new Date(Date.now() + 60_000);
  expect(await tributary.sales.list({ to: later })).toMatchObject({ ok: true, data: [known], nextCursor: null });
  expect(await tributary.sales.list({ from: later })).toMatchObject({ ok: true, data: [] });
  expect(await tributary.sales.lookup(["invoice-1", "invoice_of_snake_case"])).toMatchObject({
    ok: true,
    data: { found: [known], absent: ["invoice_of_snake_case"] },
  });
  expect(await tributary.sales.lookup(["invoice-1"], { testMode: true })).toMatchObject({
    data: { found: [], absent: ["invoice-1"] },
  });
});

test("the error for a refused key names the missing scope, or states that the key is for test mode", async () => {
  const { clients, problems } = await integrate({
    keys: [{ scopes: ["read"] }, { scopes: ["track"] }, { scopes: ["track", "read"], book: "test" }],
  });
  const [reading, tracking, testing] = clients;
  const lacks = (needed: string) => ({
    ok: false,
    status: 403,
    retryable: false,
    error: { name: "ForbiddenError", details: { code: "insufficient_scope", needed } },
  });
  expect(await reading?.trackSale(order)).toMatchObject(lacks("track"));
  expect(await reading?.partners.create(anna)).toMatchObject(lacks("manage"));
  expect(await tracking?.partners.list()).toMatchObject(lacks("read"));
  expect(await tracking?.readiness()).toMatchObject({
    ok: false,
    status: 403,
    error: { name: "insufficient_scope", details: { code: "insufficient_scope" } },
  });
  const inTestOnly = { ok: false, status: 403, retryable: false, error: { details: { code: "test_key" } } };
  expect(await testing?.trackSale(order)).toMatchObject(inTestOnly);
  expect(await testing?.partners.list()).toMatchObject(inTestOnly);
  expect(await testing?.trackTestSale(order)).toMatchObject({ ok: true });
  expect(problems).toHaveLength(6);
});

test("with a key that lacks the scope manage, partners are listed without their email addresses", async () => {
  const { clients } = await integrate({ keys: [{}, { scopes: ["read"] }] });
  const [all, reading] = clients;
  await all?.partners.create(anna);
  const { email: _, ...shown } = anna;
  const listed = await reading?.partners.list({ externalId: anna.externalId });
  expect(listed).toMatchObject({ ok: true, data: [shown] });
  expect(JSON.stringify(listed)).not.toContain('"email"');
});
