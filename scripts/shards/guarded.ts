import { DatabaseError } from "#store/database.ts";
import type { SqlValue, Statement } from "#store/statement.ts";
import { ExplainedError } from "../command.ts";
import { quoted, type Shape } from "./shapes.ts";

/** A program in a migration from one database to another. */
export interface Copied {
  readonly programId: number;
  readonly moveId: number;
}

/** A statement that fails the batch unless the condition holds. It fails by parsing a text that isn't JSON. */
export const failUnless = (condition: string, args: SqlValue[]): Statement => ({
  sql: `select iif(${condition}, 1, json('another move'))`,
  args,
});

const plain = (sql: string): Statement => ({ sql, args: [] });

/** Explains the failure of a guard statement. `write` is a batch that contains one. */
export async function guarded<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const reason = error instanceof DatabaseError ? error.cause : error;
    if (!String(reason).includes("malformed JSON")) throw error;
    throw new ExplainedError("Another command moves this program, or a migration runs. Run the command again.");
  }
}

/** Fails the batch unless the program still has the state `place`, and got this state by this migration. */
export const guard = ({ programId, moveId }: Copied, place: "arriving" | "left"): Statement =>
  failUnless("exists (select 1 from programs where id = ? and place = ? and move_id = ?)", [programId, place, moveId]);

/** The kind of statements for which triggers are searched. */
export type Firing = "INSERT" | "DELETE";

const firingOf = (sql: string) => /^CREATE TRIGGER \S+\s+(?:BEFORE |AFTER )?(INSERT|DELETE|UPDATE)\b/i.exec(sql)?.[1];

/**
 * The triggers that statements of this kind fire. Other triggers aren't dropped, because each change of a trigger makes
 * all connections of the database read its schema again.
 */
export const firedBy = ({ triggers }: Shape, firing: Firing): Shape["triggers"] =>
  triggers.filter(({ sql }) => (firingOf(sql)?.toUpperCase() ?? firing) === firing);

/**
 * Returns the statements, with statements around them that drop the triggers and create them again. Their batch fails
 * if a schema migration has changed the triggers since they were read.
 */
export const withoutTriggers = (triggers: Shape["triggers"], statements: readonly Statement[]): Statement[] =>
  triggers.length === 0
    ? [...statements]
    : [
        failUnless(
          `not exists (select 1 from json_each(?) t
            where not exists (select 1 from sqlite_master where name = t.value ->> 'name' and sql = t.value ->> 'sql'))`,
          [JSON.stringify(triggers)],
        ),
        ...triggers.map(({ name }) => plain(`drop trigger ${quoted(name)}`)),
        ...statements,
        ...triggers.map(({ sql }) => plain(sql)),
      ];

export const deferred = plain("pragma defer_foreign_keys = on");
