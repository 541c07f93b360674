import type { Day, Metrics } from "./queries.ts";

export interface Metric {
  readonly name: string;
  readonly title: string;
  readonly total: (metrics: Metrics) => number;
  readonly ofDay: (day: Day) => number;
  readonly isMoney?: boolean;
  /** True if a rise is neither good nor bad. */
  readonly isNeutral?: boolean;
}

export const clicks: Metric = {
  name: "clicks",
  title: "Clicks",
  total: ({ totalClicks }) => totalClicks,
  ofDay: (day) => day.clicks,
};

export const metrics: readonly Metric[] = [
  clicks,
  { name: "leads", title: "Leads", total: ({ totalLeads }) => totalLeads, ofDay: (day) => day.leads },
  { name: "sales", title: "Sales", total: ({ totalSales }) => totalSales, ofDay: (day) => day.sales },
  {
    name: "revenue",
    title: "Revenue",
    total: ({ totalRevenueCents }) => totalRevenueCents,
    ofDay: (day) => day.revenueCents,
    isMoney: true,
  },
  {
    name: "commission",
    title: "Commission",
    total: ({ totalCommissionCents }) => totalCommissionCents,
    ofDay: (day) => day.commissionCents,
    isMoney: true,
    isNeutral: true,
  },
];

/** Label of the ratio of sales to clicks. It can exceed 100%, since renewals and repeat orders are sales too. */
export const salesPerClick = "Sales per click";

export const hasActivity = (figures: Metrics): boolean =>
  figures.totalOrganicSales !== 0 || metrics.some(({ total }) => total(figures) !== 0);
