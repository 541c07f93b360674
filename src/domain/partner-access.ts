import type { ProgramId } from "./ids.ts";

/** `view` can read. `manage` can also change the partner's own data. */
export const partnerRoles = ["manage", "view"] as const;
export type PartnerRole = (typeof partnerRoles)[number];

export const invitationDays = 7;

/**
 * Builds a token. `secret` is 43 base64url characters. The token contains the program id, which is needed to find the
 * program's database.
 */
export const partnerInvitationToken = (programId: ProgramId, secret: string): string =>
  `svcp_${programId.toString(36)}_${secret}`;

/** The program id in a token. Undefined if the token is invalid. */
export function programOfInvitation(token: string): ProgramId | undefined {
  const digits = /^svcp_([0-9a-z]{1,11})_[A-Za-z0-9_-]{43}$/.exec(token)?.[1];
  const programId = Number.parseInt(digits ?? "", 36);
  return Number.isSafeInteger(programId) ? programId : undefined;
}

const proofOfMail = /\.([0-9a-f]{64})$/;

/** Appends a proof to a token. `proof` is 64 hexadecimal digits. A call with it shows that the mailed link was used. */
export const mailedToken = (token: string, proof: string): string => `${token}.${proof}`;

/** Splits a mailed token into token and proof. Only the service and the reader of the mail know the proof. */
export function readInvitationToken(text: string): { readonly token: string; readonly proof: string | undefined } {
  return { token: text.replace(proofOfMail, ""), proof: proofOfMail.exec(text)?.[1] };
}

/**
 * The token is in the fragment (after `#`), which browsers don't send, so it never appears in a log. `origin` has no
 * trailing slash.
 */
export const partnerInvitationLink = (origin: string, token: string): string =>
  `${origin}/partner/#/invitation?token=${token}`;

/**
 * True if the account received access after the partner's first commission. The account may then be another person's.
 */
export const isLateAccess = (
  access: { readonly createdAt: number } | undefined,
  earliestCommission: { readonly at: number | null } | undefined,
): boolean => earliestCommission?.at != null && access !== undefined && access.createdAt > earliestCommission.at;
