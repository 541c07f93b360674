import type { DecideCommissionsCall } from "#operations/manage/decide-commissions.ts";
import type { ReviewCommissionsCall } from "#operations/manage/review-commissions.ts";
import type { ChangeCall } from "#operations/manage/settings-change.ts";
import type { EventOf } from "./events.ts";

/** A member's action on the commission of a sale. */
export function reviewCallOf(
  event: EventOf<"decision" | "held">,
  commissionId: number,
  common: Omit<ChangeCall, "kind">,
): DecideCommissionsCall | ReviewCommissionsCall {
  if (event.kind === "held") {
    const review = { action: "hold", reason: event.reason, partnerNote: null } as const;
    return { ...common, kind: "review-commissions", commissionIds: [commissionId], review };
  }
  const { decision, reason = null } = event;
  return { ...common, kind: "decide-commissions", commissionIds: [commissionId], decision, reason, partnerNote: null };
}
