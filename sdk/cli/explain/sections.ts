import { columns, count, money, plain, time } from "../format.ts";
import { bold, dim, green, red } from "../output.ts";
import type {
  Candidate,
  Commission,
  Coupon,
  Customer,
  Entry,
  Explanation,
  Missing,
  SomeSettings,
  Sum,
} from "./reply.ts";

/** Prints the explanation without its events. */
export function sections(explanation: Explanation): string {
  const { verdict, commission, missing } = explanation;
  return [
    [bold(plain(verdict.message))],
    section("Why", whyLines(explanation)),
    ...(commission === null
      ? [section("Sales", verdict.sums.map(sumLine))]
      : [
          section(headingOf(commission), calculationLines(commission, verdict.currency)),
          section("Ledger entries (UTC)", entryLines(commission.entries)),
        ]),
    section("Missing", missing.flatMap(missingLines)),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [dim(heading), ...lines.map((line) => `  ${line}`)];

const whyLines = ({
  customer,
  candidates,
  earlier_clicks,
  coupons,
  settings_then,
  settings_now,
}: Explanation): string[] => [
  ...(customer === null ? [] : [plain(customerLine(customer))]),
  ...clickLines(candidates),
  ...(earlier_clicks === 0 ? [] : [`The customer had shown ${count(earlier_clicks, "other click")} before.`]),
  ...coupons.map(couponLine),
  ...(settings_then === null ? [] : [`Settings then: ${settingsText(settings_then)}.`]),
  ...(settings_now === null ? [] : [`Different today: ${settingsText(settings_now)}.`]),
];

const evidences = { key: ", by a call with your key", browser: ", only by a browser" } as const;

function customerLine({ customer_key, known_since, evidence, locked_since }: Customer): string {
  const who = customer_key === null ? "The customer, who has no key," : `Customer ${customer_key}`;
  const known = `${who} is known since ${time(known_since)}${evidence === null ? "" : evidences[evidence]}.`;
  return locked_since === null
    ? known
    : `${known} Since ${time(locked_since)}, no click moves them to another partner.`;
}

const outcomes: Readonly<Record<string, string>> = {
  older: "older: the attribution model took another click",
  newer: "newer: the attribution model took another click",
  other_link_paused: "the attribution model took another click, and the link or partner of this one was paused",
  outside_window: "older than the attribution window",
  after_the_event: "it came after the sign-up, or after the customer's first sale",
  unconfirmed: "only a browser reported it, and that wasn't enough",
  invalid: "its id is forged, altered, of another program, or of the other book",
};

function clickLines(candidates: readonly Candidate[]): string[] {
  const rows = candidates.map(({ at, partner_code, click_id }) => [
    "click",
    at === null ? "–" : time(at),
    partner_code ?? "–",
    click_id,
  ]);
  return columns(rows).flatMap((line, i) => {
    const { outcome = "", ...age } = candidates[i] ?? {};
    const mark = outcome === "chosen" ? green("✓") : dim("–");
    return [`${mark} ${line}`, `    ${plain(outcomes[outcome] ?? outcome)}${ageText(age)}`];
  });
}

const ageText = ({ age_days: age, window_days: window }: Partial<Candidate>): string =>
  age === undefined
    ? ""
    : `; ${count(age, "day")} old${window === undefined ? "" : `, attribution window ${count(window, "day")}`}`;

const couponOutcomes: Readonly<Record<string, string>> = {
  chosen: "it named the partner",
  outranked: "the customer belonged to a partner already",
  other_coupon: "an earlier code of the sale counted",
  paused: "it, or its partner, was paused",
  not_valid_then: "it wasn't valid at the time of the sale",
  existing_customer: "the customer had bought before",
  unknown: "no coupon has this code",
};

function couponLine({ code, partner_code, outcome }: Coupon): string {
  const mark = outcome === "chosen" ? green("✓") : dim("–");
  const whose = partner_code === null ? "" : ` of ${partner_code}`;
  return `${mark} ${plain(`coupon ${code}${whose}: ${couponOutcomes[outcome] ?? outcome}`)}`;
}

function settingsText(settings: SomeSettings): string {
  const { model, window_days, window_until, policy_version, policy_group, partner_status } = settings;
  const named = { model, "window in days": window_days, "window until": window_until };
  return Object.entries({
    ...named,
    "policy version": policy_version,
    "of group": policy_group?.name,
    partner: partner_status,
  })
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

function sumLine({ currency, sales, attributed_sales, ...sum }: Sum): string {
  const refunded = sum.refunded_cents === 0 ? "" : ` (${money(sum.refunded_cents, currency)} refunded)`;
  if (sales === 0) return `commission ${money(sum.commission_cents, currency)}`;
  const amount = money(sum.amount_cents, currency);
  return `${count(sales, "sale")} of ${amount}${refunded}, ${attributed_sales} attributed, commission ${money(sum.commission_cents, currency)}`;
}

const headingOf = ({ id, status, hold_until: until }: Commission): string =>
  `Commission ${id}: ${status}${until === null ? "" : `, hold until ${time(until)}`}`;

/** Formats the steps. Earlier versions of the service send steps without a currency: all are in the verdict's. */
const calculationLines = ({ calculation }: Commission, ofAll: string | null): string[] =>
  columns(
    calculation.map(({ text, cents, currency = ofAll }) => [
      text,
      currency === null ? `${cents}` : money(cents, currency),
    ]),
    1,
  );

const callers = { api_key: "API key", member: "a member" } as const;

const entryLines = (entries: readonly Entry[]): string[] =>
  columns(
    entries.map(({ posted_at, kind, amount_cents, currency, partner_code, stands_for, by }) => [
      time(posted_at),
      kind,
      money(amount_cents, currency),
      partner_code ?? "–",
      `${stands_for.type}${stands_for.id === null ? "" : ` ${stands_for.id}`}, by ${by.name ?? callers[by.type]}`,
    ]),
    2,
  );

const missingLines = ({ code, message, remedy, docs_url }: Missing): string[] => [
  `${red("✗")} ${plain(`${code}: ${message}`)}`,
  `  ${plain(remedy)}`,
  `  ${dim(plain(docs_url))}`,
];
