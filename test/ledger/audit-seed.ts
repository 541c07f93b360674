import type { Rule } from "#domain/rules.ts";
import type { Tiers } from "#domain/tiers.ts";
import type { Api, Json } from "../../harness/client.ts";

import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import type { IsolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, inTestMode, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { mcpClient, propose } from "../support/proposing.ts";
import { reviewCalls } from "../support/review-calls.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { taken } from "../support/taken.ts";
import { setUpPages } from "./audit-pages.ts";
import { awardBonus, sellByTiers, sellForUnits } from "./audit-rewards.ts";
import { settleByApi } from "./audit-settlements.ts";

const rules: readonly Rule[] = [
  { label: "Books", when: { productIds: ["book"], withinMonths: 12 }, rateBps: 3_000 },
  { when: { productIds: ["card"] }, excluded: true },
];

const tiers: readonly Tiers[] = [
  { metric: "sales", period: "year", steps: [{ threshold: 2, rateBps: 3_000 }] },
  { metric: "revenue", period: "year", steps: [{ threshold: 5_000, rateBps: 3_000 }] },
];

/**
 * Fills two programs with every kind of event through the API, and then stops the service. Returns the first program
 * and its owner.
 */
export async function seedBooks(own: IsolatedService): Promise<{ readonly owner: User; readonly world: World }> {
  const owner = await own.user();
  const member = { user: owner, role: "owner" } as const;
  const world = await own.world({
    members: [member],
    program: { reviewDays: 30 },
    partners: [
      ...[{}, {}, { code: "ONCE", policies: [{ scope: "one_time" as const, rateBps: 1_000 }] }],
      ...[{ policies: [{ rules }] }, ...tiers.map((each) => ({ policies: [{ tiers: each }] }))],
    ],
  });
  const shop = salesFixture(programFixture(world, own.api()));
  const { alice, bob, click, visit, lead, browserLead, sale, refund } = shop;
  const [, , once, ruled, ...tiered] = world.partners;
  if (once === undefined || ruled === undefined) throw new Error("the program has four partners");

  await manage(owner, world);

  // Clicks: plain, repeated, chained, by a bot, and in the test book.
  const details = { event_id: "e", event_name: "visit", page_url: "https://shop.example/a?utm_source=b" };
  const { click_id } = await visit({
    ...details,
    affiliate_url: `${alice.landingUrl}&aff_sub=newsletter`,
    page_title: "A",
    session_id: "s",
    language: "en",
    timezone: "Europe/Berlin",
  });
  await visit({ existing_click_id: click_id, session_id: "s" });
  await visit({}, { headers: { "user-agent": "Googlebot/2.1" } });
  await visit({ occurred_at: at(daysAgo(3)) }, { key: world.key });
  await world.write({
    sql: "delete from clicks where id = (select max(id) from clicks where program_id = ?)",
    args: [world.programId],
  });
  const { click_id: tested } = await visit({ ...inTestMode, event_id: "e" });

  // Customers: one of every kind.
  const email = "ada@people.example";
  await lead({
    click_id,
    customer_key: "keyed",
    email,
    page_url: "https://shop.example/b",
    event_name: "s",
  });
  await lead({ click_id: tested, customer_key: "keyed", ...inTestMode });
  await lead({ click_id: click(alice, daysAgo(300)), customer_key: "late" });
  await browserLead({ click_id: click(bob, daysAgo(300)), customer_key: "too late" });
  await browserLead({ click_id: click(bob, daysAgo(2)), customer_key: "browsing" });
  await lead({ click_id: click(once, daysAgo(40)), customer_key: "once", occurred_at: at(daysAgo(39)) });
  await shop.refer("old", { clickAt: daysAgo(50) });
  await shop.refer("ruled", { partner: ruled });
  for (const partner of tiered) {
    await shop.refer(partner.code, { partner });
    await sale({ customer_key: partner.code, transaction_id: `${partner.code} first`, amount_cents: 5_000 });
  }

  // Sales: pending, approved after the hold, organic, void, in another currency, unconfirmed, moved to another partner,
  // one-time, and in the test book.
  const subscription = { sale_type: "subscription", subscription_id: "s1", subscription_interval: "monthly" };
  const goods = { product_id: "p", event_name: "bought", line_items: [{ sku: "a" }] };
  await sale({ customer_key: "keyed", click_id, transaction_id: "t", ...subscription, ...goods });
  await sale({ customer_key: "keyed", transaction_id: "u", currency: "USD" });
  const items = [
    { product_id: "book", amount_cents: 700, quantity: 2 },
    { product_id: "card", amount_cents: 300 },
  ];
  await sale({ customer_key: "ruled", transaction_id: "items", amount_cents: 1_000, items });
  await sale({ customer_key: "ruled", transaction_id: "excluded", product_id: "card" });
  await sale({ customer_key: "keyed", transaction_id: "v" });
  await sale({ customer_key: "keyed", transaction_id: "w", occurred_at: at(daysAgo(0, -60_000)) });
  await sale({ customer_key: "keyed", transaction_id: "test", ...inTestMode });
  await sale({ customer_key: "old", transaction_id: "ripe", occurred_at: at(daysAgo(40)) });
  await sale({ customer_key: "once", transaction_id: "first", occurred_at: at(daysAgo(10)) });
  await sale({ customer_key: "once", transaction_id: "renewal", is_recurring: true });
  await sale({ customer_key: "browsing", transaction_id: "unconfirmed" });
  await sale({ customer_key: "late", transaction_id: "expired" });
  await sale({ customer_key: "organic", transaction_id: "organic" });
  await sale({ customer_key: "keyed", transaction_id: "held", amount_cents: 4_200 });
  await sale({ customer_key: "keyed", transaction_id: "released", amount_cents: 4_300 });
  await sale({ customer_key: "imported", transaction_id: "before the import", occurred_at: at(daysAgo(9)) });
  const imported = { customer_key: "imported", partner_code: bob.code, since: at(daysAgo(6)), pay_past: true };
  const known = { first_sale_at: at(daysAgo(90)), subscription_id: "from elsewhere" };
  const customers = { kind: "customers", source: "Elsewhere", rows: [{ line: 1, ...imported, ...known }] };
  await taken(owner.post(`/api/programs/${world.programId}/imports/rows`, customers));
  await sale({ customer_key: "imported", transaction_id: "after the import" });
  const assignment = { customerKey: "assigned", partnerId: bob.id, reason: "told on the phone" };
  await taken(owner.post(`/api/programs/${world.programId}/customers/assign`, assignment));
  await browserLead({ click_id: click(bob, daysAgo(3)), customer_key: "moving" });
  await sale({ customer_key: "moving", transaction_id: "moved" });
  await sale({ customer_key: "moving", transaction_id: "moved too" });
  await lead({ click_id: click(alice, daysAgo(3)), customer_key: "moving" });

  await sellForUnits(owner, world, sale);
  await sellInGroup(owner, world, sale);
  await sellWithCoupon(owner, world, sale);

  // Refunds: of an amount, of the rest, canceled, as running totals, in the unit of a charge, and repeated.
  const told = (days: number) => ({ occurred_at: at(daysAgo(days)) });
  await refund({ transaction_id: "t", refund_amount_cents: 3_333, reason: "broken" });
  await refund({ transaction_id: "u", refund_id: "whole" });
  await refund({ transaction_id: "u", refund_id: "more", refund_amount_cents: 1 });
  await refund({ transaction_id: "v", refund_id: "canceled", refund_amount_cents: 1_000 });
  await refund({ transaction_id: "v", refund_id: "canceled", cancel: true });
  await refund({ transaction_id: "ripe", refund_id: "total", refunded_total_cents: 1_000, ...told(30) });
  await refund({ transaction_id: "ripe", refund_id: "total", refunded_total_cents: 3_000, ...told(20) });
  await refund({ transaction_id: "first", refund_id: "charge", refund_amount_cents: 500, charge_total_cents: 1_000 });
  await refund({ transaction_id: "organic", refund_amount_cents: 100 });

  const decide = async (transactionId: string, verb: "approve" | "reject", body: Json = {}) => {
    const [found] = await world.rows(
      "select c.id from commissions c join sales s on s.id = c.sale_id where s.transaction_id = ? and s.program_id = ?",
      ...[transactionId, world.programId],
    );
    await taken(owner.post(`/api/programs/${world.programId}/commissions/${found?.id}/${verb}`, body));
  };
  await decide("v", "approve");
  await decide("w", "reject", { reason: "self-referral", partnerNote: "Your own order" });
  await decide("first", "approve");
  const { body: wrong } = await shop.sell({ customer_key: "keyed", transaction_id: "wrong", amount_cents: 49_000 });
  await refund({ transaction_id: "wrong", refund_id: "kept", refund_amount_cents: 100 });
  const correct = async (saleId: number, amountCents: number) => {
    const path = `/api/programs/${world.programId}/sales/${saleId}/correct`;
    const call = owner.post<{ data: { after: { saleId: number } } }>(path, { amountCents, reason: "wrong amount" });
    return (await taken(call)).data.after.saleId;
  };
  await correct(await correct(wrong.sale_id, 4_900), 5_000);
  await payOut(owner, world, own.api());
  await setUpPages(owner, own.api(), world);

  // A customer whose sales are only partly moved to another partner. A running Ledger would finish the move.
  await own.service.stop();
  await sellByTiers(world, tiered, own.database.url);
  await review(world, own.database.url);
  await awardBonus(world, alice, own.database.url);
  await world.write({
    sql: `insert into pending_moves (customer_id, after_occurred_at, after_sale_id, is_partner_active, is_program_active,
        policy_version, created_at)
      select s.customer_id, s.occurred_at, s.id, 1, 1, 1, s.created_at from sales s
      where s.program_id = ? and s.transaction_id = 'moved'`,
    args: [world.programId],
  });
  return { owner, world };
}

/** Records a sale of a partner who was created in a group and has since changed to another group. */
async function sellInGroup(owner: User, world: World, sale: ProgramFixture["sale"]): Promise<void> {
  const path = `/api/programs/${world.programId}`;
  const post = async (to: string, body: object) =>
    (await taken(owner.post<{ data: { id: number } }>(path + to, { ...body }))).data.id;
  const gold = await post("/groups", { name: "Silver" });
  await taken(owner.patch(`${path}/groups/${gold}`, { name: "Gold" }));
  const percent = { type: "percent", rateBps: 3_000, scope: "lifetime" };
  await taken(owner.put(`${path}/commission-policy`, { ...percent, groupId: gold }));
  const partner = await post("/partners", { name: "Grouped", code: "GROUPED", groupId: gold });
  const assignment = { customerKey: "grouped", partnerId: partner, reason: "told on the phone" };
  await taken(owner.post(`${path}/customers/assign`, assignment));
  await sale({ customer_key: "grouped", transaction_id: "of a group" });
  const other = await post("/groups", { name: "Other" });
  const move = { action: "group", partnerIds: [partner], groupId: other, reason: "sells more" };
  const { token } = await propose(await mcpClient(owner.url, world), move);
  const headers = { "x-proposal": token };
  await taken(owner.post(`${path}/groups/${other}/partners`, { partnerIds: [partner] }, { headers }));
  await taken(owner.patch(`${path}/partners/${partner}`, { groupId: null }));
}

/** Records a sale with a coupon that was paused later, and with unknown codes. */
async function sellWithCoupon(
  owner: User,
  { programId, partners }: World,
  sale: ProgramFixture["sale"],
): Promise<void> {
  const path = `/api/programs/${programId}/coupons`;
  const coupon = { codes: ["Bob10", "promo_bob"], partnerId: partners[1]?.id ?? 0 };
  const { data } = await taken(
    owner.post<{ data: { id: number } }>(path, {
      ...coupon,
      validFrom: at(daysAgo(300)),
      validUntil: at(daysAgo(-300)),
    }),
  );
  await sale({ customer_key: "couponed", transaction_id: "with a coupon", coupon_codes: ["gone", "bob10"] });
  await sale({ customer_key: "couponed", transaction_id: "after a coupon" });
  await taken(owner.patch(`${path}/${data.id}`, { status: "paused" }));
}

/** Raises signals that hold and signals that only flag. Holds and releases commissions by hand. */
async function review({ programId, rows, partners }: World, databaseUrl: string): Promise<void> {
  const calls = reviewCalls({ programId, rows }, databaseUrl);
  for (const { id } of partners.slice(0, 1)) {
    await calls.change(id, { isRiskExempt: true });
    await calls.change(id, { isRiskExempt: false });
    await calls.change(id, { email: "ada@people.example" });
  }
  for (const transactionId of ["held", "released"]) await calls.hold(transactionId);
  await calls.release("released");
  const signals = { selfReferral: "flag", duplicateSource: "flag", blockedSource: "off", manySources: "hold" } as const;
  await calls.set({ ...signals, blockedHosts: '["coupons.example"]', reviewDays: 14 });
}

/** Creates a payout of each status, one failed line, and a line with an adjustment. */
async function payOut(owner: User, { programId, partners }: World, api: Api): Promise<void> {
  const [alice, bob, once] = partners.map(({ id }) => id);
  if (alice === undefined || bob === undefined || once === undefined) throw new Error("the program has three partners");
  const path = `/api/programs/${programId}/payouts`;
  const post = (to: string, body: object = {}) =>
    taken(owner.post<{ data: { id: number; totalCents: number } }>(path + to, { ...body }));
  const create = async (...partnerIds: number[]) => (await post("", { currency: "EUR", partnerIds })).data.id;
  const adjust = (amountCents: number, reference: string) =>
    taken(
      owner.post(`/api/programs/${programId}/partners/${bob}/adjustments`, {
        ...{ amountCents, currency: "EUR", reason: "bonus", partnerNote: "Thank you", reference },
      }),
    );
  await adjust(900, "r");
  const setEmail = (email: string) => taken(owner.patch(`/api/programs/${programId}/partners/${bob}`, { email }));
  await setEmail("first@example.com");
  await setEmail("p@example.com");
  for (const account of ["one", "another"]) {
    const details = { method: "other", account, holder: "Bob" };
    await taken(owner.put(`/api/programs/${programId}/partners/${alice}/payment`, details));
  }
  const draft = await post("", { currency: "EUR", partnerIds: [alice, bob, once], minimumCents: 600 });
  const { id: paid, totalCents: expectedTotalCents } = draft.data;
  await post(`/${paid}/finalize`, { includeChanged: true, changedUntil: new Date().toISOString(), expectedTotalCents });
  await post(`/${paid}/confirm`, { note: "by wire", paidAt: at(daysAgo(30)) });
  await adjust(-200, "t");
  const failing = await create(once);
  await post(`/${failing}/confirm`);
  await post(`/${failing}/lines/${once}/fail`, { reason: "account closed", partnerNote: "Your bank sent it back" });
  await post(`/${await create(once)}/cancel`);
  await post(`/${await create(once)}/finalize`);
  await adjust(500, "by api");
  await settleByApi(owner, api, { programId, partnerIds: [alice, bob, once] });
  await adjust(700, "s");
  await create(bob);
}

/** Makes every kind of settings change as the owner, in the world's program and in an archived program. */
async function manage(owner: User, { programId, workspaceId }: World): Promise<void> {
  const made = await taken(
    owner.post<{ data: { id: number } }>("/api/programs", {
      workspaceId,
      name: "Second",
      websiteUrl: "https://second.example",
    }),
  );
  const second = made.data.id;
  const settings = {
    name: "Third",
    websiteUrl: "https://third.example",
    timezone: "Asia/Tokyo",
    attributionModel: "first_click",
    attributionWindowDays: 30,
    windowUntil: "first_sale",
    cookieWindowDays: 20,
    leadAuth: "server_required",
    minimumPayoutCents: 5_000,
    payoutTerms: "Paid on the first of each month.",
    payoutApproval: "two_people",
    requireDetails: true,
    partnersSeeRevenue: true,
    payer: { name: "Third GmbH", iban: "DE89370400440532013000", bic: "COBADEFFXXX" },
    issuer: { name: "Third GmbH", address: "Main Street 1", taxId: "DE129273398" },
  };
  await taken(owner.patch(`/api/programs/${second}`, settings));
  await taken(owner.patch(`/api/programs/${second}`, { status: "paused" }));
  await taken(owner.patch(`/api/programs/${second}`, { status: "active" }));
  const partner = await taken(
    owner.post<{ data: { id: number } }>(`/api/programs/${second}/partners`, {
      name: "P",
      code: "second",
      externalId: "p-2",
    }),
  );
  await taken(owner.patch(`/api/programs/${second}/partners/${partner.data.id}`, { name: "Q", status: "paused" }));
  await taken(owner.post(`/api/programs/${second}/partners/${partner.data.id}/links`, { code: "further" }));
  await taken(owner.post(`/api/programs/${second}/partners/${partner.data.id}/links`, { code: "later" }));
  await taken(owner.patch(`/api/programs/${second}/links/later`, { status: "paused" }));
  const rows = [{ line: 1, name: "R", code: "moved;moved-too" }];
  await taken(owner.post(`/api/programs/${second}/imports/rows`, { kind: "partners", source: "Elsewhere", rows }));
  const gone = await taken(
    owner.post<{ data: { id: number } }>(`/api/programs/${second}/partners`, { name: "Gone", code: "gone" }),
  );
  await taken(owner.post(`/api/programs/${second}/partners/${gone.data.id}/erase`, { confirm: true }));
  const policy = {
    type: "flat",
    amountCents: 500,
    currency: "USD",
    scope: "recurring",
    durationMonths: 6,
    holdDays: 5,
  };
  const limits = { minSaleCents: 100, maxCommissionCents: 400 };
  await taken(owner.put(`/api/programs/${second}/commission-policy`, { ...policy, ...limits }));
  const own25 = { type: "percent", rateBps: 2_500, scope: "lifetime", partnerId: partner.data.id };
  await taken(owner.put(`/api/programs/${second}/commission-policy`, own25));
  await taken(owner.post(`/api/programs/${second}/api-token/rotate`, {}));
  const { data } = await taken(owner.get<{ data: { apiKeys: { id: number }[] } }>(`/api/programs/${second}`));
  await taken(owner.delete(`/api/programs/${second}/api-keys/${data.apiKeys[1]?.id}`));
  const keys = `/api/programs/${second}/api-keys`;
  const named = await taken(
    owner.post<{ data: { id: number } }>(keys, { name: "Backend", scopes: ["track"], book: "test" }),
  );
  await taken(owner.patch(`${keys}/${named.data.id}`, { name: "Shop", scopes: ["track", "read"] }));
  await taken(owner.post(`${keys}/${named.data.id}/rotate`, {}));
  await taken(owner.patch(`/api/programs/${second}`, { status: "archived" }));
  await taken(owner.post(`/api/tracking/run-verification/${programId}`, {}));
}
