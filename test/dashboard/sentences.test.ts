import { expect, test } from "vitest";
import { noTerms, voidReasons } from "#domain/commission.ts";
import type { Explanation, Statement, StoryEvent } from "../../dashboard/src/api/types.ts";
import { entryText } from "../../dashboard/src/components/statement/entry-text.ts";
import { laterNotices } from "../../dashboard/src/components/statement/later.ts";
import { reasonLabels, statusLabels } from "../../dashboard/src/outcome-labels.ts";
import { partnersIn } from "../../dashboard/src/pages/explain/partners-in.ts";
import {
  type Candidate,
  type Coupon,
  correctionsOf,
  couponText,
  type Entry,
  earlierText,
  entryAuthor,
  entryPayout,
  entryTitle,
  eventLines,
  eventTitle,
  moreEntriesText,
  outcomeText,
  settingsOf,
} from "../../dashboard/src/pages/explain/words.ts";
import { refusalTitles } from "../../dashboard/src/pages/import/refusal-titles.ts";
import { limitText } from "../../dashboard/src/partner/pages/claims/limit-text.ts";
import { entryEquation, sumEquation } from "../../dashboard/src/reasons/statement-reasons.ts";
import { sentenceFaults } from "../support/sentence-faults.ts";
import { loadModule } from "./load-module.ts";

const code = "zz-code";
const at = "2026-03-04T12:00:00.000Z";

/** Every combination of a value for each field. */
function every<T extends object>(choices: { readonly [Field in keyof T]: readonly T[Field][] }): T[] {
  return Object.entries<readonly unknown[]>(choices).reduce<object[]>(
    (all, [field, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [field]: value }))),
    [{}],
  ) as T[];
}

/**
 * Finds language mistakes and internal names: of a field, of a placeholder, or the code of a partner in place of the
 * name.
 */
function faultsOf(texts: readonly (string | undefined)[]): readonly string[] {
  const all = [...new Set(texts)].flatMap((text) => (text === undefined ? [] : [text]));
  const named = all.map((text) => partnersIn(text, [code]).filter((_, i) => i % 2 === 0));
  return [
    ...all.flatMap(sentenceFaults),
    ...all.filter((text) => /[a-z]_[a-z]|[a-z][A-Z]|\{|\[object|^\s|\s$/.test(text.replace(/https?:\S+/g, "…"))),
    ...all.filter((_, i) => named[i]?.some((words) => words.includes(code))),
  ];
}

type EventOf<Type extends StoryEvent["type"]> = Extract<StoryEvent, { type: Type }>;
type Fields<Type extends StoryEvent["type"]> = Partial<EventOf<Type>>;

const codes = [null, code];
const evidences: readonly Fields<"lead">["evidence"][] = ["browser", "key"];
const reasons = [null, ...voidReasons, ...Object.keys(reasonLabels)];
const commissionStatuses = Object.keys(statusLabels) as EventOf<"sale">["commissionStatus"][];
const common = { id: 1, occurredAt: at };

const events = [
  ...every<Fields<"click">>({
    partnerCode: codes,
    pageUrl: [null, "https://shop.example/tents"],
    referrerUrl: [null, "https://magazine.example/"],
    browser: [null, "Firefox"],
    country: [null, "NL"],
    isBot: [false, true],
    receivedAt: [null, at],
  }).map((fields) => ({ ...common, type: "click", codeParam: null, os: null, deviceType: null, ...fields })),
  ...every<Fields<"lead">>({
    customerKey: [null, "u1"],
    partnerCode: codes,
    provisional: [false, true],
    reason: reasons as Fields<"lead">["reason"][],
    evidence: evidences,
    eventName: [null, "Sign-up"],
  }).map((fields) => ({ ...common, type: "lead", pageUrl: null, ...fields })),
  ...every<Fields<"sale">>({
    partnerCode: codes,
    commissionStatus: commissionStatuses,
    reason: reasons as Fields<"sale">["reason"][],
    amountCents: [0, 4_900],
    isRecurring: [false, true],
    subscriptionId: [null, "s1"],
    productId: [null, "tent"],
  }).map((fields) => ({
    ...common,
    ...{
      type: "sale",
      transactionId: "INV-1",
      customerKey: "u1",
      commissionCents: 490,
      currency: "EUR",
      commissionCurrency: "EUR",
    },
    eventName: null,
    ...fields,
  })),
  ...every<Fields<"refund">>({
    refundId: [null, "r1", "correction-1"],
    refundedCents: [-900, 0, 900],
    commissionReversedCents: [-90, 0, 90],
    refundReason: [null, "Too small"],
  }).map((fields) => ({
    ...{ ...common, type: "refund", transactionId: "INV-1", currency: "EUR", commissionCurrency: "EUR" },
    ...fields,
  })),
] as unknown as readonly StoryEvent[];

const story = { events: [], correctedBy: null };

test("the texts about an event in an explanation are well-formed, and contain a partner's name instead of the code", () => {
  expect(faultsOf(events.flatMap((event) => [eventTitle(event, story), ...eventLines(event, story)]))).toEqual([]);
});

const outcomes = {
  chosen: 0,
  older: 0,
  newer: 0,
  other_link_paused: 0,
  outside_window: 0,
  after_the_event: 0,
  unconfirmed: 0,
  invalid: 0,
} satisfies Record<Candidate["outcome"], 0>;
const couponOutcomes = {
  chosen: 0,
  outranked: 0,
  other_coupon: 0,
  paused: 0,
  not_valid_then: 0,
  existing_customer: 0,
  unknown: 0,
} satisfies Record<Coupon["outcome"], 0>;

test("sentences about why a click or coupon was chosen or not are well-formed", () => {
  const clicks = every<Pick<Candidate, "outcome" | "ageDays" | "windowDays" | "at">>({
    outcome: Object.keys(outcomes) as Candidate["outcome"][],
    ageDays: [undefined, 0, 1, 8, 80],
    windowDays: [undefined, 1, 30],
    at: [null, at],
  }) as Candidate[];
  const told = [[], events].flatMap((known) => clicks.map((click) => outcomeText(click, known, "UTC")));
  const coupons = Object.keys(couponOutcomes).map((outcome) => couponText({ outcome } as Coupon));
  const earlier = [1, 2, 1_000].map(earlierText);
  expect(faultsOf([...told, ...coupons, ...earlier])).toEqual([]);
});

test("ledger entries, corrections and settings of an explanation are well-formed", () => {
  const kinds = {
    ...{ earned: 0, reversed: 0, restored: 0, rejected: 0, moved: 0, adjusted: 0, paid: 0, returned: 0 },
  } satisfies Record<Entry["kind"], number>;
  const by = { type: "user", name: "Ada" } as const;
  const entries = every<Pick<Entry, "kind" | "standsFor" | "payout" | "by">>({
    kind: Object.keys(kinds) as Entry["kind"][],
    standsFor: (["sale", "refund", "move", "adjustment", "payout"] as Entry["standsFor"]["type"][]).flatMap((type) => [
      { type, id: "INV-1" },
      { type, id: null },
    ]) as Entry["standsFor"][],
    payout: [
      null,
      { reference: "November 2026", state: "paid", by },
      { reference: "November 2026", state: "final", by },
    ] as Entry["payout"][],
    by: [
      by,
      { ...by, name: null },
      { type: "api_key", name: null },
      { type: "api_key", name: "Shop" },
    ] as Entry["by"][],
  }) as Entry[];
  const settings = every<NonNullable<Explanation["settingsThen"]>>({
    model: ["last_click", "first_click"],
    windowDays: [1, 30],
    windowUntil: ["lead", "first_sale"],
    policyVersion: [null, 5],
    policyGroup: [null],
    partnerStatus: [null, "active", "paused"],
  });
  const told = settings.flatMap((then) => settingsOf({ settingsThen: then, settingsNow: then } as Explanation));
  const sale = { saleId: 1, transactionId: "INV-2" };
  expect(
    faultsOf([
      ...entries.flatMap((entry) => [entryTitle(entry, story), entryPayout(entry), entryAuthor(entry)]),
      ...told.flatMap(({ name, atDecision, now }) => [name, atDecision, now]),
      ...correctionsOf({ corrects: sale, correctedBy: sale }).map(({ text }) => text),
      ...[1, 2].map(moreEntriesText),
    ]),
  ).toEqual([]);
});

test("the texts of statements and of their sums are well-formed", () => {
  const kinds = ["earned", "reversed", "restored", "rejected", "moved", "adjusted", "paid", "returned"] as const;
  const entries = every<Pick<Statement["data"]["entries"][number], "kind" | "amountCents" | "ref" | "payoutReference">>(
    {
      kind: kinds,
      amountCents: [-100, 100],
      ref: ["KEVJNLGW5E"],
      payoutReference: ["November 2026"],
    },
  ) as Statement["data"]["entries"];
  const data = { entries, currency: "EUR" } as unknown as Statement["data"];
  const equations = [
    ...(["earned", "refunded", "adjusted", "returned", "paid"] as const).map((sum) => sumEquation(data, sum)),
    ...entries.map((entry) => entryEquation(entry, entries, "EUR")),
  ];
  expect(
    faultsOf([
      ...entries.map(entryText),
      ...equations.flatMap(({ what, terms }) => [what, ...terms.map((t) => t.title)]),
    ]),
  ).toEqual([]);
});

test("notices about changes after a payment, and rate limit messages that say how long to wait, are well-formed", () => {
  const since = { returnedOn: null, creditedOn: null, changedLater: null, currency: "EUR" };
  expect(laterNotices(since)).toEqual([]);
  const changedLater = { amountCents: -490, lastOn: "2026-11-20" };
  const notices = laterNotices({ ...since, returnedOn: "2026-11-14", creditedOn: "2026-11-16", changedLater });
  expect(notices).toEqual([
    expect.stringMatching(
      /^This payment was returned on .*14.*, and its amount became payable again\. It was credited after all on .*16.*\.$/,
    ),
    expect.stringMatching(
      /^Refunds and corrections after this payment changed the commissions that it paid by -€4\.90, the last on .*20.*\. Later/,
    ),
  ]);
  const limited = [10, 61, 3_600, 7_300].map((retryAfterSeconds) => limitText({ retryAfterSeconds }));
  expect(limited).toEqual([
    "Too many requests. Try again in a minute.",
    ...["2 minutes", "an hour", "3 hours"].map((wait) => expect.stringContaining(`report the next one in ${wait}.`)),
  ]);
  expect(faultsOf([...notices, ...limited])).toEqual([]);
});

interface Balance {
  readonly currency: string;
  readonly pendingCents: number;
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  readonly carriedCents: number;
}

interface NextPayout {
  readonly currency: string;
  readonly payableCents: number;
  readonly minimumCents: number;
  readonly nextHoldEnd: string | null;
}

test("a partner reads well-formed sentences about the next payment", async () => {
  const { comesWhen, deduction } = await loadModule<{
    comesWhen(asked: object): string;
    deduction(balance: Balance): string | undefined;
  }>("partner/pages/overview/comes-when.ts");
  const cents = [0, 100, 5_000];
  const balances = every<Balance>({
    currency: ["EUR"],
    pendingCents: cents,
    payableCents: cents,
    inPayoutCents: [0],
    paidCents: cents,
    carriedCents: [-100, 0],
  });
  const nexts = every<NextPayout>({
    currency: ["EUR"],
    payableCents: cents,
    minimumCents: [1, 2_000],
    nextHoldEnd: [null, "2026-03-04", "2026-03-05"],
  });
  const asked = { next: nexts, balance: [undefined, ...balances], today: ["2026-03-04"], isPaused: [false, true] };
  const told = every<object>(asked).map(comesWhen);
  expect(faultsOf([...told, ...balances.map(deduction)])).toEqual([]);
  expect(told.every((text) => text.endsWith("."))).toBe(true);
});

interface Policy {
  readonly type: "percent" | "flat" | "none";
  readonly currency: string;
  readonly rateBps: number;
  readonly amountCents: number;
  readonly scope: "lifetime" | "recurring" | "one_time";
  readonly durationMonths: number;
  readonly minSaleCents: number | null;
  readonly maxCommissionCents: number | null;
  readonly holdDays: number;
  readonly rules: readonly object[];
}

test("descriptions of commission policies are well-formed", async () => {
  const { describePolicy } = await loadModule<{ describePolicy(policy: object): string }>("forms/policy-text.tsx");
  const policies = every<Policy>({
    type: ["percent", "flat", "none"],
    currency: ["EUR"],
    rateBps: [1_250],
    amountCents: [500],
    scope: ["lifetime", "recurring", "one_time"],
    durationMonths: [1, 12],
    minSaleCents: [null, 1_000],
    maxCommissionCents: [null, 9_000],
    holdDays: [0, 1, 30],
    rules: [[], [{ rateBps: 500, when: { productIds: ["pro", "team"] } }], [{ amountCents: 100, when: {} }]],
  });
  expect(faultsOf(policies.map((policy) => describePolicy({ ...noTerms, ...policy })))).toEqual([]);
});

type Part = string | { readonly of: "subject" | "partner" };

test("texts about refused rows, payouts, ranges of events and audit entries are well-formed", async () => {
  const { titleParts, actions } = await loadModule<{
    actions: Readonly<Record<string, string>>;
    titleParts(entry: { action: string; subject: string; before: null; after: null }): readonly Part[];
  }>("pages/settings/audit-labels.ts");
  const payouts =
    await loadModule<Readonly<Record<"skipWords" | "changeWords", Readonly<Record<string, string>>>>>(
      "pages/payouts/words.ts",
    );
  const { describeRange } = await loadModule<{ describeRange(range: { fromSeq: number; toSeq: number }): string }>(
    "pages/settings/webhooks/words.ts",
  );
  const titles = Object.keys(actions).map((action) =>
    titleParts({ action, subject: "it", before: null, after: null })
      .map((part) => (typeof part === "string" ? part : "Anna"))
      .join(""),
  );
  expect(
    faultsOf([
      ...titles,
      ...[1, 2].map((toSeq) => describeRange({ fromSeq: 1, toSeq })),
      ...[refusalTitles, payouts.skipWords, payouts.changeWords].flatMap((texts) => Object.values(texts)),
    ]),
  ).toEqual([]);
});

test("the check for faulty sentences finds a partner's code in place of the name, and an API code in place of words", () => {
  expect(faultsOf([`Click of ${code}`, "Not attributed: no_click.", "Chosen"])).toHaveLength(2);
});
