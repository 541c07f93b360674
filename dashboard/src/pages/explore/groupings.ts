import type { InferRequestType } from "hono/client";
import type { api } from "../../api/client.ts";
import { shownName } from "../../components/partner-name.tsx";
import { dateLocale } from "../../locale.ts";
import { regionName } from "../../region-name.ts";
import type { Filters } from "../../url.ts";

type Asked = InferRequestType<(typeof api.programs)[":programId"]["performance"]["$get"]>["query"];
export type Grouping = Exclude<Asked["groupBy"], "day">;

export interface GroupingTexts {
  readonly title: string;
  /**
   * Name of the filter for this grouping, in the page's address and in calls. Months have none, because they are
   * filtered by the period.
   */
  readonly filter?: keyof Asked & string;
  readonly none: string;
  readonly label?: (value: string) => string;
}

const sources: Readonly<Record<string, string>> = {
  click: "Link",
  coupon: "Coupon",
  import: "Import",
  person: "Assigned by a member",
};

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const monthOf = new Intl.DateTimeFormat(dateLocale, { month: "long", year: "numeric", timeZone: "UTC" });

/** The groupings in the order of the page's select. */
export const groupings = {
  partner: { title: "Partner", filter: "partner", none: "No partner" },
  code: { title: "Code", filter: "code", none: "No code" },
  sub: { title: "Sub-ID", filter: "sub", none: "No sub-ID" },
  landing_path: { title: "Landing page", filter: "landingPath", none: "Unknown page" },
  referrer_host: { title: "Referrer", filter: "referrerHost", none: "Direct or unknown" },
  campaign: { title: "Campaign", filter: "campaign", none: "No campaign" },
  coupon: { title: "Coupon", filter: "coupon", none: "No coupon" },
  source: {
    title: "Attribution",
    filter: "source",
    none: "No attribution",
    label: (value) => sources[value] ?? value,
  },
  country: {
    title: "Country",
    filter: "country",
    none: "Unknown country",
    label: (value) => (/^[A-Z]{2}$/.test(value) ? regionName(value) : value),
  },
  device: { title: "Device", filter: "device", none: "Unknown device", label: capitalized },
  month: { title: "Month", none: "No month", label: (month) => monthOf.format(Date.parse(month)) },
} as const satisfies Readonly<Record<Grouping, GroupingTexts>>;

export const groupingNames = Object.keys(groupings) as readonly Grouping[];

export const textsOf = (grouping: Grouping): GroupingTexts => groupings[grouping];

const kinds: Readonly<Record<string, string>> = { unknown: "Removed after a year", other: "All others" };

/**
 * A group's title. `label` is the partner's name, or the value itself. A label that consists of invisible characters
 * only is replaced by the partner's id, or by the codes of the characters.
 */
export function groupTitle(grouping: Grouping, group: string, label = group): string {
  const { none, label: titleOf } = textsOf(grouping);
  if (group === "none") return none;
  const title = kinds[group] ?? titleOf?.(label) ?? label;
  return shownName(title, grouping === "partner" ? `Partner ${group}` : encodeURIComponent(title));
}

/** The first other grouping that isn't a filter yet. */
export const nextGrouping = (filters: Readonly<Record<string, string | undefined>>, current: Grouping): Grouping =>
  groupingNames.find((name) => name !== current && !filters[textsOf(name).filter ?? "by"]) ?? current;

/** The filters in the page's address, under the service's names. */
export const chosenOf = (filters: Filters) =>
  groupingNames.flatMap((grouping) => {
    const { filter } = textsOf(grouping);
    const value = filter && filters[filter];
    return filter && value ? [{ grouping, filter, value }] : [];
  });
