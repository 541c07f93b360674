import { type Filtering, type Filters, filterings, type Grouping, maxBreakdownDays } from "#domain/breakdown.ts";
import { countDays } from "#domain/performance.ts";
import * as fields from "#http/schema/form-fields.ts";
import type { Naming } from "./caller.ts";
import { type PeriodQuery, periodFields } from "./period.ts";
import { currencyOrUnit } from "./units.ts";

const ofGroups = "Accepts the values of `group` in the response, including `none` and `unknown`.";
const filter = (field: string, what: string) =>
  fields
    .text(field, 600)
    .optional()
    .openapi({ description: `Limits the figures to ${what}. ${ofGroups}` });

/** The filters, with their names in the case that `name` produces. Each filter has the same name as a grouping. */
export const filterFields = (name: Naming) => ({
  code: filter("code", "this code of a partner"),
  sub: filter("sub", "clicks with this sub-id and to the events attributed to them"),
  country: filter("country", "clicks from this country and to the events attributed to them"),
  device: filter("device", "clicks from this type of device and to the events attributed to them"),
  referrerHost: filter(name("referrerHost"), "clicks that came from this host and to the events attributed to them"),
  landingPath: filter(name("landingPath"), "clicks that led to this path and to the events attributed to them"),
  campaign: filter("campaign", "clicks with this `utm_campaign` and to the events attributed to them"),
  coupon: filter("coupon", "sales with this coupon, by its first code"),
});

export const ofProgramFields = () => ({
  partner: fields
    .programId("partner")
    .optional()
    .openapi({ description: "Limits the figures to the partner with this id." }),
  source: filter("source", "events attributed by `click`, `coupon`, `import` or `person`"),
});

const groupingText =
  "`code` is a partner's code, `sub` the sub-id, `source` the evidence of the attribution, `campaign` the `utm_campaign`, and " +
  "`coupon` the coupon sent with the sale, by its first code. For sales, refunds and commissions, the country, device, " +
  "referrer, landing page, campaign and sub-id are those of the click that they are attributed by.";

export const periodOf = (name: Naming, allowed: readonly [Grouping, ...Grouping[]]) => ({
  groupBy: fields.oneOf(name("groupBy"), allowed).openapi({ description: groupingText }),
  ...periodFields(name("dateFrom"), name("dateTo")),
  currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
  compare: fields.oneOf("compare", ["previous"]).optional().openapi({
    description:
      "Adds the figures of the preceding period of the same length. This doubles the number of events to read.",
  }),
});

/** The filters' names in camelCase. */
const camel = {
  partner: "partner",
  code: "code",
  sub: "sub",
  source: "source",
  country: "country",
  device: "device",
  referrer_host: "referrerHost",
  landing_path: "landingPath",
  campaign: "campaign",
  coupon: "coupon",
} as const satisfies Record<Filtering, string>;

type Shared = { readonly [Name in keyof ReturnType<typeof filterFields>]?: string | undefined } & {
  readonly partner?: number | undefined;
  readonly source?: string | undefined;
};

export interface AskedBreakdown extends PeriodQuery, Shared {
  readonly groupBy: Grouping;
  readonly currency?: string | undefined;
  readonly compare?: "previous" | undefined;
}

export const filtersOf = (query: Shared): Filters =>
  Object.fromEntries(filterings.map((filter) => [filter, query[camel[filter]]?.toString()]));

/** Arguments for `refine`: limits the number of days for breakdowns that read single events. */
export function fewDays(name: Naming) {
  const [first, last] = [name("dateFrom"), name("dateTo")];
  const message = `${first} and ${last} must not span more than ${maxBreakdownDays} days, and period must not be all, unless ${name("groupBy")} is partner or month and there is no filter except partner`;
  return fields.rule([first], message, (query: Readonly<Record<string, unknown>>) => {
    const others = filterings.filter((filter) => filter !== "partner");
    const isFiltered = others.some((filter) => query[name(camel[filter])] !== undefined);
    const groupBy = query[name("groupBy")];
    if (!isFiltered && (groupBy === "partner" || groupBy === "month")) return true;
    const [from, to] = [query[first], query[last]];
    if (typeof from !== "string" || typeof to !== "string") return query.period !== "all";
    const count = countDays({ from, to });
    return !(count > maxBreakdownDays);
  });
}
