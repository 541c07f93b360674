import type { World } from "../../harness/world.ts";

interface Access {
  readonly user: { readonly userId: string };
  readonly partnerId: number;
  readonly role?: "manage" | "view";
}

/** As an accepted invitation does, in the program alone: its row decides. */
export const giveAccess = (world: World, { user, partnerId, role = "manage" }: Access): Promise<void> =>
  world.write({
    sql: "insert into partner_accounts (partner_id, account_id, program_id, role, created_at) values (?, ?, ?, ?, ?)",
    args: [partnerId, user.userId, world.programId, role, Date.now()],
  });

export const partnerPath = ({ programId }: Pick<World, "programId">, partnerId: number): string =>
  `/api/partner/programs/${programId}/partners/${partnerId}`;

/** Gives the user access. Returns the path of the partner's side. */
export async function partnerSide(
  world: World,
  user: Access["user"],
  partnerId: number,
  role?: Access["role"],
): Promise<string> {
  await giveAccess(world, { user, partnerId, ...(role && { role }) });
  return partnerPath(world, partnerId);
}
