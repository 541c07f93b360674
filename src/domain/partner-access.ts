import type { ProgramId } from "./ids.ts";

/** `view` reads; `manage` also changes the partner's own data. */
export const partnerRoles = ["manage", "view"] as const;
export type PartnerRole = (typeof partnerRoles)[number];

export const invitationDays = 7;

/** `secret`: 43 base64url characters. The program is part of the token, so that it leads to the program's database. */
export const partnerInvitationToken = (programId: ProgramId, secret: string): string =>
  `svcp_${programId.toString(36)}_${secret}`;

/** Undefined: not a valid token. */
export function programOfInvitation(token: string): ProgramId | undefined {
  const digits = /^svcp_([0-9a-z]{1,11})_[A-Za-z0-9_-]{43}$/.exec(token)?.[1];
  const programId = Number.parseInt(digits ?? "", 36);
  return Number.isSafeInteger(programId) ? programId : undefined;
}

const proofOfMail = /\.([0-9a-f]{64})$/;

/** `proof`: 64 hexadecimal digits, which later show that the mailed link was used. */
export const mailedToken = (token: string, proof: string): string => `${token}.${proof}`;

/** A mailed token ends in a proof that only the reader of the mail and the service have. */
export function readInvitationToken(text: string): { readonly token: string; readonly proof: string | undefined } {
  return { token: text.replace(proofOfMail, ""), proof: proofOfMail.exec(text)?.[1] };
}

/** The token follows the #, which browsers never send, so it reaches no log. `origin` has no trailing slash. */
export const partnerInvitationLink = (origin: string, token: string): string =>
  `${origin}/partner/#/invitation?token=${token}`;

/** The access is younger than the partner's first commission, so the account may be another person's. */
export const isLateAccess = (
  access: { readonly createdAt: number } | undefined,
  earliestCommission: { readonly at: number | null } | undefined,
): boolean => earliestCommission?.at != null && access !== undefined && access.createdAt > earliestCommission.at;
