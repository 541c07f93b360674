import type { Explanation } from "../../api/types.ts";

/** Time of the page's sale, or of its customer's newest sale, if no partner has it. Otherwise undefined. */
export function unpaidSaleOf({ subject, verdict, events }: Explanation): string | undefined {
  if (verdict.attributed || !["sale", "commission", "customer"].includes(subject.type)) return undefined;
  return events.findLast(({ type }) => type === "sale")?.occurredAt;
}
