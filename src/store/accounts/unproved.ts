import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { recoveryCodes, secondFactors, users, verifications } from "../schema/users.ts";
import { type Compiler, given, type Write, write } from "../statement.ts";

// Anyone can sign up with anyone's address. A reset by a mailed link proves control of the address, and undoes what was
// set up before.

type OfLink = { identifier: string; at: number };

/** The user of an open link, whose address isn't verified. */
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
const endName = write<OfLink>((db) =>
  db
    .update(users)
    .set({ name: sql`substr(${users.email}, 1, instr(${users.email}, '@') - 1)` })
    .where(inArray(users.id, unproved(db))),
);

/** For a reset by a mailed link, before it verifies the address and is used up. The reset itself ends the sessions. */
export const endUnprovedByReset = (values: OfLink): readonly Write[] => [
  endFactor(values),
  endCodes(values),
  endName(values),
];
