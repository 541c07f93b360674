import type { Group } from "./queries.ts";

type Figures = Pick<Group, "clicks" | "sales" | "revenueCents" | "commissionCents" | "refundedCents">;

export interface Measure {
  readonly name: string;
  readonly title: string;
  readonly of: (figures: Figures) => number;
  readonly isMoney?: boolean;
  /** True if a rise is neither good nor bad. */
  readonly isNeutral?: boolean;
}

const clicks: Measure = { name: "clicks", title: "Clicks", of: (figures) => figures.clicks };
export const revenue: Measure = {
  name: "revenue",
  title: "Revenue",
  of: (figures) => figures.revenueCents,
  isMoney: true,
};

/** The measures of the chart and of the change. */
export const measures: readonly Measure[] = [
  clicks,
  { name: "sales", title: "Sales", of: (figures) => figures.sales },
  revenue,
  {
    name: "commission",
    title: "Commission",
    of: (figures) => figures.commissionCents,
    isMoney: true,
    isNeutral: true,
  },
];

const refunded: Measure = {
  name: "refunded",
  title: "Refunded",
  of: (figures) => figures.refundedCents,
  isMoney: true,
};

/** The measures that are columns of the table. */
export const columns: readonly Measure[] = [...measures, refunded];
