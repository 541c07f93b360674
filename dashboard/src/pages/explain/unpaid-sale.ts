import type { Explanation } from "../../api/types.ts";

/**
 * Time of the sale that the page explains, or of the customer's newest sale, if no partner is attributed. Otherwise
 * undefined.
 */
export function unpaidSaleOf({ subject, verdict, events }: Explanation): string | undefined {
  if (verdict.attributed || !["sale", "commission", "customer"].includes(subject.type)) return undefined;
  return events.findLast(({ type }) => type === "sale")?.occurredAt;
}
