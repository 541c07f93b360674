import { dayIn } from "#domain/calendar.ts";
import { formatDate } from "../../format.ts";
import type { Commission } from "../commissions/queries.ts";

type Shown = Pick<Commission, "status" | "holdUntil" | "inPayout" | "corrected">;

/**
 * The status in the words of the partner's own pages. They don't show a hold by a person before the hold period ends.
 */
export function statusForPartner({ status, holdUntil, inPayout, corrected }: Shown, timezone: string, now: number) {
  if (corrected && status !== "void") return "corrected";
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
