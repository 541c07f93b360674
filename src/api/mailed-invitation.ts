import { mailedToken, readInvitationToken } from "#domain/partner-access.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";

// Whoever creates an invitation sees its link, so that using it proves nothing. A mailed link has a proof more, which only the
// reader of that address's mail gets.

const proofOf = (c: Ctx, token: string, email: string): string =>
  digest(hashSecretOf(c.env), "mailed-invitation", token, email.toLowerCase());

export const tokenToMail = (c: Ctx, token: string, to: string): string => mailedToken(token, proofOf(c, token, to));

/** Whether the token was mailed to this address. */
export function provesAddress(c: Ctx, givenToken: string, email: string): boolean {
  const { token, proof } = readInvitationToken(givenToken);
  return proof === proofOf(c, token, email);
}
