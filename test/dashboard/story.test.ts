import { expect, test } from "vitest";
import { type Explanation, explainAmount, explainClick, explainPolicy } from "../../dashboard/src/explanation.ts";
import { formatEventRef, parseEventRef } from "../../dashboard/src/pages/events/event-ref.ts";
import { maxPages, search } from "../../dashboard/src/pages/events/search.ts";
import { type Commission, type Decision, describeStatus, momentsOf } from "../../dashboard/src/pages/events/story.ts";
import { movedRange, periodQuery } from "../../dashboard/src/pages/overview/period.ts";

type Policy = NonNullable<Explanation["policy"]>;

const policy: Policy = {
  version: 2,
  partnerId: null,
  type: "percent",
  rateBps: 2_000,
  amountCents: null,
  currency: null,
  scope: "lifetime",
  durationMonths: null,
  holdDays: 15,
  minSaleCents: null,
  maxCommissionCents: null,
};
const frozen = {
  decidedAt: "2026-03-04T12:00:00.000Z",
  sale: { transactionId: "t1", amountCents: 4_900, currency: "EUR", occurredAt: "2026-03-04T12:00:00.000Z" },
  click: { id: "click-1", at: "2026-03-01T11:00:00.000Z" },
  clickAgeDays: 3,
  windowDays: 60,
  evidence: "key",
  model: "last_click",
  policy,
} as const;
const earned = {
  ...frozen,
  decision: "earned",
  uncappedCents: 980,
  capped: false,
  amountCents: 980,
  holdUntil: "2026-03-19T12:00:00.000Z",
} as const satisfies Explanation;
const voided = (reason: string, more: Partial<Explanation> = {}): Explanation =>
  ({ ...frozen, decision: "void", reason, ...more }) as Explanation;

test("an amount says how it came about", () => {
  expect(explainAmount(earned)).toBe("20% of €49.00 = €9.80 (rounded half up).");
  expect(explainAmount({ ...earned, policy: { ...policy, rateBps: 1_250 }, uncappedCents: 613 })).toBe(
    "12.5% of €49.00 = €6.13 (rounded half up).",
  );
  expect(explainAmount({ ...earned, capped: true, amountCents: 500 })).toBe(
    "20% of €49.00 = €9.80 (rounded half up), capped at €5.00.",
  );
  expect(explainAmount({ ...earned, policy: { ...policy, type: "flat", amountCents: 980, currency: "EUR" } })).toBe(
    "Fixed amount of €9.80 per sale.",
  );
  const yen = { ...frozen.sale, amountCents: 500, currency: "JPY" };
  expect(explainAmount({ ...earned, sale: yen, uncappedCents: 100, amountCents: 100 })).toContain("¥500 = ¥100 (");
});

test.each([
  ["customer_not_found", {}, "This customer is unknown"],
  ["no_click", {}, "didn't come from a partner's click"],
  ["invalid_click_id", {}, "belongs to another program"],
  ["existing_customer", {}, "had already bought before they clicked"],
  ["attribution_window_expired", { clickAgeDays: 75 }, "75 days old, and the attribution window was 60 days."],
  ["no_commission_policy", { policy: null }, "No commission was in effect"],
  ["partner_inactive", {}, "The partner was paused."],
  ["program_inactive", {}, "The program was paused."],
  ["commission_duration_over", { policy: { ...policy, durationMonths: 12 } }, "for 12 months"],
  ["recurring_not_covered", {}, "only for a customer's first sale"],
  ["currency_mismatch", { policy: { ...policy, currency: "USD" } }, "in USD, and the sale is in EUR"],
  ["below_minimum", { policy: { ...policy, minSaleCents: 10_000 } }, "below the policy's minimum of €100.00"],
  ["one_time_used", {}, "another sale to this customer already earned it"],
  ["something_new", {}, '"something_new"'],
])("nothing is due, and why: %s", (reason, more, said) => {
  expect(explainAmount(voided(reason, more))).toContain(said);
});

test("which click, and which policy", () => {
  expect(explainClick(earned)).toBe("Last click, 3 days old (60-day window). Reported by your server.");
  expect(explainClick({ ...earned, clickAgeDays: 0, windowDays: 1, model: "first_click", evidence: "browser" })).toBe(
    "First click, less than a day old (1-day window). Reported by the browser.",
  );
  expect(explainClick(voided("no_click", { click: null }))).toBeUndefined();
  expect(explainPolicy(earned)).toBe("Program policy (version 2), for all of the customer's sales.");
  const own: Policy = { ...policy, partnerId: 7, scope: "recurring", durationMonths: 12 };
  expect(explainPolicy({ ...earned, policy: own })).toBe(
    "Custom policy for this partner (version 2), for 12 months from the customer's first sale.",
  );
  expect(explainPolicy(voided("no_commission_policy", { policy: null }))).toBeUndefined();
});

const commission: Commission = {
  id: 5,
  saleId: 9,
  transactionId: "t1",
  customerKey: "u1",
  partnerId: 1,
  partnerCode: "anna",
  status: "pending",
  unconfirmed: false,
  amountCents: 980,
  currency: "EUR",
  holdUntil: earned.holdUntil,
  createdAt: frozen.decidedAt,
  explanation: earned,
};
const decision = (action: string, reason?: string): Decision => ({
  id: 1,
  at: "2026-03-06T12:00:00.000Z",
  actor: "user-1",
  actorName: "Ada",
  action,
  subject: "commission 5",
  before: null,
  after: reason === undefined ? null : { reason },
});
const now = Date.parse("2026-03-10T12:00:00.000Z");
const stands = (more: Partial<Commission>, decisions: readonly Decision[] = [], at = now, mayReadAudit = true) =>
  describeStatus({ ...commission, ...more }, mayReadAudit, decisions, at);

test("where a commission stands, and what is to come of it", () => {
  expect(stands({})).toMatch(/^€9\.80 is held until .*2026\.$/);
  expect(stands({ amountCents: 490 })).toMatch(/^€4\.90 was taken back by refunds\. €4\.90 is held until/);
  expect(stands({ unconfirmed: true })).toBe(
    "€9.80 is pending. Only the browser reported this click. The commission is released once your server reports the same customer, or when you approve it. Approving it confirms the customer and all of their unconfirmed commissions.",
  );
  expect(stands({ status: "approved" }, [decision("commission.approved")])).toBe("€9.80 was approved.");
  expect(stands({ status: "approved" })).toBe("€9.80 was approved before the hold ended.");
  expect(stands({ status: "approved" }, [], now + 30 * 86_400_000)).toContain("was approved after the hold ended on");
  expect(stands({ status: "reversed", amountCents: 0 })).toBe("Reversed: refunds took back the full €9.80.");
  expect(stands({ status: "rejected", amountCents: 0 }, [decision("commission.rejected")])).toBe(
    "Rejected: no commission is due.",
  );
  expect(stands({ status: "rejected", amountCents: 0 }, [], now, false)).toContain("Admins can see who rejected it");
  expect(stands({ status: "paid" })).toBe("€9.80 was paid.");
});

test("what happened, in its order; of what was not found, what the commission froze", () => {
  const refund = {
    id: 3,
    event_type: "refund",
    is_test: false,
    timestamp: "2026-03-05T12:00:00.000Z",
    click_id: "click-1",
    partnerCode: "anna",
    transaction_id: "t1",
    refunded_cents: 4_900,
    currency: "EUR",
    reason: "damaged",
  } as const;
  const facts = {
    event: refund,
    commission,
    click: undefined,
    lead: undefined,
    sales: [],
    refunds: [refund],
    decisions: [decision("commission.rejected", "a friend")],
    isComplete: true,
  };
  const moments = momentsOf(facts);
  expect(moments.map(({ title }) => title)).toEqual([
    "Click",
    "Sale of €49.00",
    "Commission of €9.80",
    "Refund of €49.00",
    "Commission rejected by Ada",
  ]);
  expect(moments[1]?.eventRef).toBe(`sale-9-${Date.parse(frozen.sale.occurredAt)}`);
  expect(moments[3]?.lines).toContain("Reason given: damaged");
  expect(moments[4]?.lines).toEqual(["Reason given: a friend"]);

  const refundOf = (refunded_cents: number) =>
    momentsOf({ ...facts, refunds: [{ ...refund, refunded_cents }] }).find(({ title }) => title.startsWith("Refund"));
  expect(refundOf(-500)?.title).toBe("Refund of €5.00 canceled");
  expect(refundOf(0)).toMatchObject({
    title: "Refund without effect",
    lines: [
      "Transaction t1",
      expect.stringContaining("already refunded, or the refund was canceled"),
      expect.anything(),
    ],
  });

  const late = { ...commission, explanation: { ...earned, decidedAt: "2026-03-07T12:00:00.000Z" } };
  const told = momentsOf({ ...facts, commission: late }).at(-1);
  expect(told).toMatchObject({ title: "Commission of €9.80", at: "2026-03-07T12:00:00.000Z" });
  expect(told?.lines.at(-1)).toContain("reported later");
});

test("an event's place stands in a URL", () => {
  const ref = { kind: "sale", id: 12, isTest: true, at: "2026-03-01T11:00:00.000Z" } as const;
  expect(parseEventRef(formatEventRef(ref))).toEqual(ref);
  for (const text of [undefined, "", "sale-12", "sale--1-5", "visit-1-5", "sale-1-5-live", "sale-1-999999999999999"])
    expect(parseEventRef(text)).toBeUndefined();
});

test("a list is looked through as far as it may help, and no further", async () => {
  const asked: (string | undefined)[] = [];
  const list = (pages: number) => async (cursor: string | undefined) => {
    asked.push(cursor);
    const page = Number(cursor ?? 0);
    return { rows: [page * 2, page * 2 + 1], nextCursor: page + 1 < pages ? String(page + 1) : null };
  };
  expect(await search(list(3), { matches: (n) => n % 2 === 1 })).toEqual({ found: [1, 3, 5], isComplete: true });
  expect(asked.splice(0)).toEqual([undefined, "1", "2"]);
  expect(await search(list(9), { matches: (n) => n === 2, limit: 1 })).toEqual({ found: [2], isComplete: true });
  expect(asked.splice(0)).toEqual([undefined, "1"]);
  const beyond = { matches: (n: number) => n === 8, isPast: (n: number) => n > 2 };
  expect(await search(list(9), beyond)).toEqual({ found: [], isComplete: true });
  expect(asked.splice(0)).toEqual([undefined, "1"]);
  expect(await search(list(99), { matches: () => false })).toEqual({ found: [], isComplete: false });
  expect(asked.length).toBe(maxPages);
});

test("a period of the URL, and a range of which one end is moved", () => {
  expect(periodQuery({})).toEqual({ period: "30d" });
  expect(periodQuery({ period: "90d" })).toEqual({ period: "90d" });
  expect(periodQuery({ period: "forever", dateFrom: "2026-01-01" })).toEqual({ period: "30d" });
  const range = { dateFrom: "2026-01-05", dateTo: "2026-01-09" };
  expect(periodQuery({ period: "7d", ...range })).toEqual(range);
  expect(movedRange({ ...range, dateFrom: "2026-02-01" }, "dateFrom")).toEqual({
    dateFrom: "2026-02-01",
    dateTo: "2026-02-01",
  });
  expect(movedRange({ ...range, dateTo: "2026-01-01" }, "dateTo").dateFrom).toBe("2026-01-01");
  expect(movedRange({ ...range, dateFrom: "2020-01-01" }, "dateFrom").dateTo).toBe("2023-01-04");
  expect(movedRange({ ...range, dateTo: "2030-01-01" }, "dateTo").dateFrom).toBe("2026-12-29");
});
