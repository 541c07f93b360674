import { and, eq, gt, inArray, notExists, type SQL, sql } from "drizzle-orm";
import { recoveryCodes, secondFactors, sessions, users, verifications } from "../schema/users.ts";
import { type Compiler, type Write, write } from "../statement.ts";

// Anybody can sign up with anybody's address. Whoever proves that they read its mail gets rid of what was set up until then.

const given = sql.placeholder;

type OfLink = { identifier: string; at: number };

/** Ends what the user of an open link has set up, whose address isn't verified, where the condition holds. */
function endOf<Values extends OfLink>(condition?: (db: Compiler) => SQL) {
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
          condition?.(db),
        ),
      );
  const factor = write<Values>((db) => db.delete(secondFactors).where(inArray(secondFactors.userId, unproved(db))));
  const codes = write<Values>((db) => db.delete(recoveryCodes).where(inArray(recoveryCodes.userId, unproved(db))));
  const live = write<Values>((db) => db.delete(sessions).where(inArray(sessions.userId, unproved(db))));
  const name = write<Values>((db) =>
    db
      .update(users)
      .set({ name: sql`substr(${users.email}, 1, instr(${users.email}, '@') - 1)` })
      .where(inArray(users.id, unproved(db))),
  );
  return { factor, codes, live, name };
}

const byReset = endOf();

/** For the reset by a mailed link, before it verifies the address and is used up. It ends the sessions itself. */
export const endUnprovedByReset = (values: OfLink): readonly Write[] => [
  byReset.factor(values),
  byReset.codes(values),
  byReset.name(values),
];

type ByLink = OfLink & { token: string };

const byLink = endOf<ByLink>((db) => {
  const isOwn = and(
    eq(sessions.token, given("token")),
    eq(sessions.userId, users.id),
    gt(sessions.expiresAt, given("at")),
  );
  const own = db.select({ one: sql`1` }).from(sessions).where(isOwn);
  return notExists(own);
});

/** For a mailed link, before it verifies the address. Nothing ends where it is opened in a session of the account. */
export const endUnprovedByLink = (values: ByLink): readonly Write[] => [
  byLink.factor(values),
  byLink.codes(values),
  byLink.live(values),
];
