import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { accounts, recoveryCodes, secondFactors, users, verifications } from "../schema/users.ts";
import { type Compiler, given, type Write, write } from "../statement.ts";
import { isIdentity } from "./sign-in-ways.ts";

// Anyone can sign up with an address that isn't theirs. A password reset by a mailed link proves control of the
// address. The reset also removes the second factor, the identities and the name that were set before.

type OfLink = { identifier: string; at: number };

/** The user to whom an open reset link belongs, if their email address isn't verified. */
const unproved = (db: Compiler) =>
  db
    .select({ id: users.id })
    .from(verifications)
    .innerJoin(users, eq(users.id, verifications.value))
    .where(
      and(
        eq(verifications.identifier, given("identifier")),
        gt(verifications.expiresAt, given("at")),
        eq(users.emailVerified, false),
      ),
    );

const endFactor = write<OfLink>((db) => db.delete(secondFactors).where(inArray(secondFactors.userId, unproved(db))));
const endCodes = write<OfLink>((db) => db.delete(recoveryCodes).where(inArray(recoveryCodes.userId, unproved(db))));
const endIdentities = write<OfLink>((db) =>
  db.delete(accounts).where(and(inArray(accounts.userId, unproved(db)), isIdentity)),
);
const endName = write<OfLink>((db) =>
  db
    .update(users)
    .set({ name: sql`substr(${users.email}, 1, instr(${users.email}, '@') - 1)` })
    .where(inArray(users.id, unproved(db))),
);

/**
 * Place these writes before the writes that verify the address and use up the mailed link. The reset itself ends the
 * sessions.
 */
export const endUnprovedByReset = (values: OfLink): readonly Write[] => [
  endFactor(values),
  endCodes(values),
  endIdentities(values),
  endName(values),
];
