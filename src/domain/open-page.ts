import type { LeadAuth } from "./program-terms.ts";
import type { SignalSetting } from "./risk.ts";

/** Program settings that an open page requires. */
export const openNeeds = ["leadAuth", "self_referral"] as const;
export type OpenNeed = (typeof openNeeds)[number];

interface OpenTerms {
  readonly leadAuth: LeadAuth;
  readonly selfReferral: SignalSetting;
}

/** An open page gives a link to anyone, so without these settings people could earn on their own purchases. */
export const missingForOpen = ({ leadAuth, selfReferral }: OpenTerms): readonly OpenNeed[] =>
  openNeeds.filter((need) => (need === "leadAuth" ? leadAuth !== "server_required" : selfReferral !== "hold"));

/** Limit on partners that an open page creates on a day of the program. Further applications wait for review. */
export const maxOpenedADay = 200;
