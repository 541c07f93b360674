import type { Explanation, StoryEvent } from "../../api/types.ts";

export type Sale = Extract<StoryEvent, { type: "sale" }>;

/** The sale that the page is about, if no correction has replaced it. */
export function correctableSale({ subject, commission, correctedBy, events }: Explanation): Sale | undefined {
  if (correctedBy !== null || !["sale", "commission", "refund"].includes(subject.type)) return undefined;
  return events.find((event): event is Sale => event.type === "sale" && event.commissionId === commission?.id);
}
