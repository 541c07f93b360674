import { dayIn } from "#domain/calendar.ts";
import { formatDate } from "../../format.ts";
import type { Commission } from "../commissions/queries.ts";
import { isRefundedInPayout } from "../commissions/refunded-in-payout.ts";

type Shown = Pick<Commission, "status" | "holdUntil" | "inPayout" | "corrected" | "amountCents" | "initialCents">;

/**
 * The status in the words of the partner's own pages. If a person holds the commission, these pages show that only
 * after the hold period has ended.
 */
export function statusForPartner(commission: Shown, timezone: string, now: number) {
  const { status, holdUntil, inPayout, corrected } = commission;
  if (corrected && status !== "void") return "corrected";
  if (isRefundedInPayout(commission)) return status === "paid" ? "refunded after it was paid" : "refunded";
  switch (status) {
    case "pending":
      return holdUntil === null || Date.parse(holdUntil) > now
        ? `on hold${holdUntil === null ? "" : ` until ${formatDate(dayIn(timezone, Date.parse(holdUntil)))} at the earliest`}`
        : "under review";
    case "approved":
      return inPayout ? "being paid" : "to be paid";
    case "paid":
      return "paid";
    case "reversed":
      return "refunded";
    case "rejected":
      return "declined";
    case "void":
      return "no commission";
  }
}
