import type { ProgramId } from "./ids.ts";

/** `view` reads; `manage` also changes what is the partner's own. */
export const partnerRoles = ["manage", "view"] as const;
export type PartnerRole = (typeof partnerRoles)[number];

export const invitationDays = 7;

/** `secret`: 43 base64url characters. The program is part of the token, so that it leads to the program's database. */
export const partnerInvitationToken = (programId: ProgramId, secret: string): string =>
  `svcp_${programId.toString(36)}_${secret}`;

/** Undefined: no such token was ever made. */
export function programOfInvitation(token: string): ProgramId | undefined {
  const digits = /^svcp_([0-9a-z]{1,11})_[A-Za-z0-9_-]{43}$/.exec(token)?.[1];
  const programId = Number.parseInt(digits ?? "", 36);
  return Number.isSafeInteger(programId) ? programId : undefined;
}

/** The token follows the #, which browsers never send, so it reaches no log. `origin` has no trailing slash. */
export const partnerInvitationLink = (origin: string, token: string): string =>
  `${origin}/partner/#/invitation?token=${token}`;
