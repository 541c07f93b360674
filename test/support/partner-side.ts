import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { hashLinkToken } from "#domain/link-token.ts";
import { partnerInvitationToken } from "#domain/partner-access.ts";
import type { Session } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";

interface Access {
  readonly user: Pick<Session, "post">;
  readonly partnerId: number;
  readonly role?: "manage" | "view";
  /** The version of the program's terms that the partner accepts. */
  readonly termsVersion?: number;
}

/** Writes an invitation directly to the database, without a member, and accepts it. */
export async function giveAccess(
  world: World,
  { user, partnerId, role = "manage", termsVersion }: Access,
): Promise<void> {
  const { programId } = world;
  const token = partnerInvitationToken(programId, randomBytes(32).toString("base64url"));
  await world.write({
    sql: `insert or replace into partner_invitations (partner_id, program_id, token_hash, role, is_for_member, expires_at, created_at)
      values (?, ?, ?, ?, 1, ?, ?)`,
    args: [partnerId, programId, hashLinkToken(token), role, Date.now() + 60_000, Date.now()],
  });
  const { status, text } = await user.post("/api/partner/invitations/accept", {
    token,
    ...(termsVersion && { termsVersion }),
  });
  expect(status, text).toBe(200);
}

export const partnerPath = ({ programId }: Pick<World, "programId">, partnerId: number): string =>
  `/api/partner/programs/${programId}/partners/${partnerId}`;

/** Gives the user access to the partner. Returns the path of the partner's API. */
export async function partnerSide(
  world: World,
  user: Access["user"],
  partnerId: number,
  role?: Access["role"],
): Promise<string> {
  await giveAccess(world, { user, partnerId, ...(role && { role }) });
  return partnerPath(world, partnerId);
}
