import { day, openBook, type Policy } from "./book.ts";
import type { History, Terms } from "./commands.ts";
import type { Click, Shown } from "./events.ts";
import { Model } from "./model.ts";
import { openProgram, type Program } from "./program.ts";
import type { Service } from "./service.ts";

const coupons = [
  { codes: ["anna5"], partner: 0 },
  { codes: ["ben10"], partner: 1 },
  { codes: ["clara"], partner: 2 },
];
export const codes = ["anna5", "ben10", "clara", "unknown"];

/** A program in the service, and its model. */
export interface Both {
  readonly program: Program;
  model: Model;
  /** The model at the time of the last backup. */
  backup: Model | undefined;
  readonly clicks: readonly Click[];
  readonly start: number;
  /** Transaction ids by sale id. */
  readonly names: Map<unknown, string>;
  readonly sent: { readonly transactionId: string; readonly shown: Shown }[];
}

export async function openBoth(service: Service, given: History): Promise<Both> {
  const { settings, policy, versions } = given;
  service.pass(1_000);
  const start = service.now();
  const program = await openProgram(service, {
    ...policiesOf(given, start),
    coupons,
    program: {
      ...{ attributionModel: settings.model, attributionWindowDays: settings.windowDays },
      windowUntil: settings.windowUntil,
      createdAt: start,
    },
  });
  await program.change({ kind: "create-unit", unit: months } as never);
  const policies: Policy[] = [
    { owner: "program", from: 0, ...termsOf(policy) },
    ...oldestFirst(versions).map((version) => ({
      ...{ owner: ownerOf(version.owner), from: start - version.days * day },
      ...termsOf(version.terms),
    })),
  ];
  const book = openBook({
    ...{ settings, policies, partners: program.codes.length, now: start },
    memberships: [{ partner: clara, from: 0, isIn: true }],
    coupons: coupons.map((coupon) => ({ ...coupon, isActive: true, validFrom: null, validUntil: null })),
  });
  const clicks = given.clicks.map(({ partner, days }, n) => ({
    n,
    partner,
    at: start - days * day - (60 - n) * 1_000,
  }));
  return { program, model: new Model(book), backup: undefined, clicks, start, names: new Map(), sent: [] };
}

const clara = 2;

const oldestFirst = (versions: History["versions"]) => versions.toSorted((a, b) => b.days - a.days);

export const months = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };

const amounts = { percent: null, flat: 150, unit: 3, none: null };

export function termsOf({ type, scope, holdDays, rateBps, minSaleCents, maxCommissionCents }: Terms) {
  const isNone = type === "none";
  const maximum = isNone || type === "unit" ? null : maxCommissionCents;
  const namesMoney = !isNone && (type === "flat" || minSaleCents !== null || maximum !== null);
  return {
    ...{ type: type === "unit" ? ("flat" as const) : type, unit: type === "unit" ? months : null },
    ...{ scope, holdDays, durationMonths: scope === "recurring" ? 1 : null },
    ...{ rateBps: type === "percent" ? rateBps : null, amountCents: amounts[type] },
    ...{ minSaleCents: isNone ? null : minSaleCents, maxCommissionCents: maximum },
    currency: namesMoney ? "EUR" : null,
  };
}

export function ownerOf(owner: "program" | "group" | number): Policy["owner"] {
  if (owner === "program") return owner;
  return owner === "group" ? { group: 0 } : { partner: owner };
}

/** Returns the world's partners, group and policies. Only Clara is in the group. */
function policiesOf({ policy, versions }: History, start: number) {
  const numbered = oldestFirst(versions).map((each, i) => ({ ...each, version: i + 2 }));
  const of = (owner: "program" | "group" | number) =>
    numbered
      .filter((each) => each.owner === owner)
      .map(({ days, terms, version }) => {
        const effectiveFrom = start - days * day;
        return { ...termsOf(terms), version, effectiveFrom, createdAt: effectiveFrom };
      });
  return {
    partners: [
      { name: "Anna", policies: of(0) },
      { name: "Ben", policies: of(1) },
      { name: "Clara", group: 0 },
    ],
    groups: [{ name: "Gold", policies: of("group") }],
    policies: [{ ...termsOf(policy), version: 1 }, ...of("program")],
  };
}
