import { hashLinkToken } from "#domain/link-token.ts";
import { mailedToken, programOfInvitation, readInvitationToken } from "#domain/partner-access.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";
import { shardOfProgram } from "#http/places.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import { findPartnerInvitation } from "#store/views/partner-access.ts";
import { readFromDatabase, readFromShards } from "./read-database.ts";

type Found = Awaited<ReturnType<typeof findPartnerInvitation>>;
type Invitation = { readonly [Name in Exclude<keyof Found, "terms">]: NonNullable<Found[Name]> } & Pick<Found, "terms">;

const invalid = { code: "invitation_invalid" } as const;

/** Reads an invitation, even if it was used or has expired. */
export async function readInvitation(c: Ctx, givenToken: string): Promise<Result<Invitation>> {
  const { token } = readInvitationToken(givenToken);
  const programId = programOfInvitation(token);
  if (programId === undefined) return refused(invalid);
  const asked = { programId, tokenHash: hashLinkToken(token) };
  const found = await readFromShards(c, (databaseOf) =>
    findPartnerInvitation(databaseOf, asked, shardOfProgram(c.env, programId)),
  );
  if (!found.ok) return found;
  const { program, partner, invitation, terms } = found.value;
  if (program === undefined || partner === undefined || invitation === undefined) return refused(invalid);
  return ok({ program, partner, invitation, terms });
}

/**
 * Reads an invitation that is unused and hasn't expired, and whose creator is still an active member. Refuses
 * otherwise.
 */
export async function readOpenInvitation(c: Ctx, token: string): Promise<Result<Invitation>> {
  const found = await readInvitation(c, token);
  if (!found.ok) return found;
  const { usedBy, expiresAt, invitedBy } = found.value.invitation;
  if (usedBy !== null || c.get("call").at >= expiresAt) return refused(invalid);
  if (invitedBy === null) return found;
  const { id: programId } = found.value.program;
  const members = await readFromDatabase(c, "home", (database) => findProgramMembers(database, programId, [invitedBy]));
  if (!members.ok) return members;
  return members.value.get(invitedBy) === "active" ? found : refused(invalid);
}

// The member who creates an invitation sees its link, so using the link proves nothing. A mailed link also contains a
// proof, which only a reader of the mail has.

const proofOf = (c: Ctx, token: string, email: string): string =>
  digest(hashSecretOf(c.env), "mailed-invitation", token, email.toLowerCase());

export const tokenToMail = (c: Ctx, token: string, to: string): string => mailedToken(token, proofOf(c, token, to));

/** True if the token was mailed to this address. */
export function provesAddress(c: Ctx, givenToken: string, email: string): boolean {
  const { token, proof } = readInvitationToken(givenToken);
  return proof === proofOf(c, token, email);
}
