import type { LeadAuth } from "./program-terms.ts";
import type { SignalSetting } from "./risk.ts";

/** Settings of the program that an open page rests on. */
export const openNeeds = ["leadAuth", "self_referral"] as const;
export type OpenNeed = (typeof openNeeds)[number];

interface OpenTerms {
  readonly leadAuth: LeadAuth;
  readonly selfReferral: SignalSetting;
}

/** A page that anyone gets a link from would otherwise pay people for their own purchases. */
export const missingForOpen = ({ leadAuth, selfReferral }: OpenTerms): readonly OpenNeed[] =>
  openNeeds.filter((need) => (need === "leadAuth" ? leadAuth !== "server_required" : selfReferral !== "hold"));

/** Partners that an open page makes on a day of the program. Further applications wait for a person. */
export const maxOpenedADay = 200;
