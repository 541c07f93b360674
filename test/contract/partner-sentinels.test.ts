import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { Json } from "../../harness/client.ts";
import { builtDocument } from "../../harness/openapi.ts";
import { embedded } from "../support/embedded.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { partnerOperations } from "../support/session-operations.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const secret = "sentinel";
const operations = (await partnerOperations(sharedService.url)).filter(
  ({ name, isWrite }) => name.includes("/partners/{partnerId}") && !isWrite,
);

/** The GET routes of the embedded referral page, which shows the same data. */
const embedPaths = Object.entries((builtDocument("embed") as { paths: Record<string, object> }).paths).flatMap(
  ([path, methods]) => ("get" in methods ? [path.replace("/api/embed/", "")] : []),
);

/** The only numeric fields of responses to a partner. Any other numeric field could be an internal id. */
const numbers = new Set([
  ...["programId", "partnerId", "clicks", "uniqueClicks", "leads", "sales"],
  ...["commissionCents", "revenueCents", "pendingCents", "payableCents", "inPayoutCents", "carriedCents", "paidCents"],
  ...["commissions", "initialCents", "commissionsCents", "otherCents"],
  ...[
    "minimumCents",
    "amountCents",
    "openingCents",
    "closingCents",
    "earnedCents",
    "refundedCents",
    "adjustedCents",
    "number",
    "statementNumber",
    "unavailable",
    "version",
    "termsVersion",
    "month",
    "cents",
  ],
]);

function fieldsWithNumbers(value: unknown, field = ""): string[] {
  if (typeof value === "number") return [field];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => fieldsWithNumbers(each, field));
  return Object.entries(value).flatMap(([name, each]) => fieldsWithNumbers(each, name));
}

/** Creates a shop in which every value that a partner must not see contains the word `secret`. */
async function openShop() {
  const shop = await payoutsFixture(people, {
    partners: [{ name: "Anna" }, { name: `${secret} partner`, code: `${secret}-other` }],
  });
  const { world, alice, bob } = shop;
  const post = async (path: string, body: Json) => {
    const reply = await people.owner.post<{ data: { id: number } }>(`/api/programs/${world.programId}${path}`, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body;
  };
  await shop.setEmail(bob.id, `${secret}@other.example`);
  const { click_id } = await shop.visit({
    affiliate_url: `https://shop.example/${secret}?aff=${alice.code}&utm_campaign=${secret}`,
    page_title: secret,
    referrer_url: `https://${secret}.example/`,
  });
  const sell = async (n: number) => {
    await shop.lead({ customer_key: `${secret}-${n}`, click_id, email: `${secret}-${n}@customers.example` });
    const transaction_id = `${secret}-order-${n}`;
    const more = { subscription_id: `${secret}-${n}`, product_id: secret, sale_type: "subscription" };
    const { commission_id } = await shop.sale({ transaction_id, customer_key: `${secret}-${n}`, ...more });
    return { transaction_id, commission_id };
  };
  const refunded = await sell(1);
  await shop.refund({
    ...{ transaction_id: refunded.transaction_id, refund_id: `${secret}-refund`, refund_reason: secret },
    refund_amount_cents: 1_000,
  });
  const rejected = await sell(2);
  await post(`/commissions/${rejected.commission_id}/reject`, { reason: secret, partnerNote: "Not a customer" });
  const bonus = {
    amountCents: 500,
    currency: "EUR",
    reason: secret,
    partnerNote: "Thanks",
    reference: `${secret}-bonus`,
  };
  await post(`/partners/${alice.id}/adjustments`, bonus);
  const { data } = await post("/payouts", { currency: "EUR", reference: "2026-01" });
  await post(`/payouts/${data.id}/confirm`, { note: secret });
  await post(`/payouts/${data.id}/lines/${alice.id}/fail`, { reason: secret, partnerNote: "Account closed" });
  await post("/coupons", { codes: ["ANNA10"], partnerId: alice.id });
  await post("/coupons", { codes: [`${secret}-10`], partnerId: bob.id });
  await shop.sale({ transaction_id: `${secret}-organic`, customer_key: `${secret}-organic` });
  await shop.earn(123, { partner: bob });
  await sell(3);
  return shop;
}

test("no response to a partner contains data of a customer, a sale, another partner or a member, or an internal id", async () => {
  const shop = await openShop();
  const { world, alice, bob } = shop;
  const path = await partnerSide(world, people.stranger, alice.id);
  await partnerSide(world, people.viewer, alice.id, "view");
  const everything = await people.owner.get(`/api/programs/${world.programId}/commissions`);
  expect(everything.text).toContain(secret);
  const scope = { ...world, partnerId: alice.id };
  await people.admin.patch(`/api/programs/${world.programId}/partners/${alice.id}`, { externalId: "user-7" });
  await people.owner.put(`/api/programs/${world.programId}/embed`, { origins: [], show: { claims: true } });
  const page = await embedded(sharedApi(), world);
  const claim = { day: dateUtc(Date.now()), amountCents: 4_900, reference: "Order 1", note: "By phone" };
  const claimed = await people.stranger.post<{ data: { own: string[] } }>(`${path}/claims`, claim);
  expect(claimed.body.data.own.length).toBeGreaterThan(0);
  const replies = await Promise.all([
    claimed,
    ...operations.map(({ call }) => call(people.stranger, scope)),
    ...["commissions", "statement"].map((name) => people.stranger.get(`${path}/${name}?format=csv`)),
    people.stranger.get(`${path}/overview?period=all`),
    people.stranger.post(`${path}/links`, { code: bob.code }),
    people.stranger.get("/api/partner/programs"),
    ...embedPaths.map((name) => page.get(name)),
    page.get("overview?currency=usd"),
    page.estimate(),
    page.createLink({ code: bob.code }),
    page.createLink(),
  ]);
  for (const { status, text, body, headers } of replies) {
    expect([200, 201, 409]).toContain(status);
    for (const seen of [text, JSON.stringify([...headers])]) {
      expect(seen.toLowerCase()).not.toContain(secret);
      for (const id of [bob.id, people.viewer.userId, people.viewer.email]) expect(seen).not.toContain(String(id));
    }
    if (status < 400) expect(fieldsWithNumbers(body).filter((field) => !numbers.has(field))).toEqual([]);
  }
  const texts = replies.map(({ text }) => text).join("\n");
  for (const shown of ["Not a customer", "Thanks", "Account closed", "2026-01"]) expect(texts).toContain(shown);
});
