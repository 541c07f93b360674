import type { Explanation } from "../../api/types.ts";

/** Undefined unless no partner has the page's sale, or its customer: of those of a customer, the newest. */
export function unpaidSaleOf({ subject, verdict, events }: Explanation): string | undefined {
  if (verdict.attributed || !["sale", "commission", "customer"].includes(subject.type)) return undefined;
  return events.findLast(({ type }) => type === "sale")?.occurredAt;
}
