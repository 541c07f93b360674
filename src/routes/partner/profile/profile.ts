import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as z from "#http/schema/zod.ts";
import { findAccount } from "#store/accounts/users.ts";
import { findPartner } from "#store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import type { InPartner } from "../guards.ts";

export const Profile = z
  .object({
    name: z.string().describe("Of the partner."),
    email: z.string().nullable().describe("Where the program sends payouts and mail. Null for owners who look."),
    account: z.object({ name: z.string(), email: z.string() }).describe("That you are signed in with."),
    role: z.enum(["manage", "view", "owner"]).describe("`owner`: you look at it as an owner of the program."),
  })
  .openapi("PartnerProfile");

/** The partner at the program, the account at home. */
export async function readProfile(
  c: Ctx,
  { accountId, role, partner }: InPartner,
): Promise<Result<z.output<typeof Profile>>> {
  const { programId, partnerId } = partner;
  const [known, account] = await Promise.all([
    readFromDatabase(c, "program", (database) => findPartner(database, programId, partnerId)),
    readFromDatabase(c, "home", (database) => findAccount(database, accountId)),
  ]);
  if (!known.ok) return known;
  if (!account.ok) return account;
  if (known.value === undefined) return refused({ code: "not_found", what: "partner" });
  if (account.value === undefined) return refused({ code: "no_session" });
  const { name, email } = account.value;
  const own = { name: known.value.name, email: role === "owner" ? null : known.value.email };
  return ok({ ...own, account: { name, email }, role });
}
