import type { LeadAuth } from "./program-terms.ts";
import type { SignalSetting } from "./risk.ts";

/** Program settings that an open join page requires. */
export const openNeeds = ["leadAuth", "self_referral"] as const;
export type OpenNeed = (typeof openNeeds)[number];

interface OpenTerms {
  readonly leadAuth: LeadAuth;
  readonly selfReferral: SignalSetting;
}

/**
 * The required settings that a program lacks. Anyone can get a link from an open page, so without these settings people
 * could earn commission on their own purchases.
 */
export const missingForOpen = ({ leadAuth, selfReferral }: OpenTerms): readonly OpenNeed[] =>
  openNeeds.filter((need) => (need === "leadAuth" ? leadAuth !== "server_required" : selfReferral !== "hold"));

/**
 * The most partners that an open join page creates on a day in the program's time zone. Further applications wait for
 * review.
 */
export const maxOpenedADay = 200;
