import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lte, min, or, type SQL, sql } from "drizzle-orm";
import { earliest } from "#domain/calendar.ts";
import type { LineTemplate } from "#domain/mail/mail.ts";
import { type Database, readBatch, readOne } from "./database.ts";
import { sumsOfLine } from "./line-sums.ts";
import { textOfNote } from "./notes.ts";
import { accountsInOrder } from "./partner-access.ts";
import { isHere } from "./program-place.ts";
import { writeWithRetry } from "./retrying-write.ts";
import { mails } from "./schema/mails.ts";
import { partners } from "./schema/partners.ts";
import { payoutLines, payouts } from "./schema/payouts.ts";
import { programs } from "./schema/programs.ts";
import {
  type Compiler,
  everyColumn,
  given,
  insert,
  type RowOf,
  readAll,
  readCount,
  readFirst,
  unencoded,
  write,
} from "./statement.ts";
import { unitIn } from "./units.ts";

export type MailRow = typeof mails.$inferSelect;

/** If a mail with this id exists, it doesn't change. */
export const insertMail = insert<MailRow>((db) => db.insert(mails).values(everyColumn(mails)).onConflictDoNothing());

/** Mails to accounts, and mails of programs that are on this shard. */
const isOfHere = or(isNull(mails.programId), isHere(mails.programId));
const isDue = and(isNotNull(mails.dueAt), lte(mails.dueAt, given("at")), isOfHere);

// Literals are used instead of parameters, so that SQLite finds the partial indexes with these conditions.
const isToTeam = sql`${mails.template} = 'team_tasks'`;
const isUrgent = and(isNull(mails.payoutLineId), sql`${mails.template} <> 'team_tasks'`);

const selectSealed = (db: Compiler, condition: SQL | undefined = isUrgent) =>
  db
    .select({
      id: mails.id,
      programId: mails.programId,
      template: mails.template,
      attempts: mails.attempts,
      content: sql<string>`${mails.content}`,
    })
    .from(mails)
    .where(and(isDue, condition))
    .orderBy(asc(mails.dueAt))
    .limit(given("limit"));
export type SealedMailRow = RowOf<typeof selectSealed>;

const selectOfLines = (db: Compiler) =>
  db
    .select({
      id: mails.id,
      template: sql<LineTemplate>`${mails.template}`,
      attempts: mails.attempts,
      origin: sql<string>`${mails.origin}`,
      to: partners.email,
      accounts: accountsInOrder(partners.id),
      programName: programs.name,
      amountCents: payoutLines.amountCents,
      currency: payoutLines.currency,
      /** Null if the line's amount is in a currency. */
      unit: unitIn(payoutLines.programId, payoutLines.currency),
      reference: payouts.reference,
      programId: payoutLines.programId,
      partnerId: payoutLines.partnerId,
      /** Number of the line's statement. */
      number: payoutLines.statementNumber,
      sums: sumsOfLine,
      partnerNote: textOfNote(payoutLines.partnerNoteId),
    })
    .from(mails)
    .innerJoin(payoutLines, eq(payoutLines.id, mails.payoutLineId))
    .innerJoin(payouts, eq(payouts.id, payoutLines.payoutId))
    .innerJoin(partners, eq(partners.id, payoutLines.partnerId))
    .innerJoin(programs, eq(programs.id, payoutLines.programId))
    .where(and(isDue, isNotNull(mails.payoutLineId)))
    .orderBy(asc(mails.dueAt))
    .limit(given("limit"));
export type LineMailRow = RowOf<typeof selectOfLines>;

const dueSealed = readAll<{ at: number; limit: number }, SealedMailRow>((db) => selectSealed(db));
const dueToTeams = readAll<{ at: number; limit: number }, SealedMailRow>((db) => selectSealed(db, isToTeam));
const dueOfLines = readAll<{ at: number; limit: number }, LineMailRow>(selectOfLines);

export const readDueMails = (database: Database, due: { readonly at: number; readonly limit: number }) =>
  readBatch(database, {
    sealed: dueSealed({ ...due }),
    toTeams: dueToTeams({ ...due }),
    ofLines: dueOfLines({ ...due }),
  });

const waits = and(isNotNull(mails.dueAt), isOfHere);

const nextDue = (condition: SQL | undefined) =>
  readFirst<Record<string, never>, { at: number | null }>((db) =>
    db.select({ at: mails.dueAt }).from(mails).where(and(waits, condition)).orderBy(asc(mails.dueAt)).limit(1),
  );
const nextSealed = nextDue(isUrgent);
const nextToTeam = nextDue(isToTeam);
const nextOfLines = nextDue(isNotNull(mails.payoutLineId));

const oldest = readFirst<Record<string, never>, { at: number }>((db) =>
  db.select({ at: mails.createdAt }).from(mails).where(isOfHere).orderBy(asc(mails.createdAt)).limit(1),
);

export interface MailsAhead {
  /** Instant of the next attempt (ms). Undefined if no mail waits. */
  readonly dueAt: number | undefined;
  /** Instant of the oldest row (ms). Undefined if there is none. */
  readonly oldestAt: number | undefined;
}

/** Makes one database request. */
export async function readMailsAhead(database: Database): Promise<MailsAhead> {
  const reads = { sealed: nextSealed({}), toTeam: nextToTeam({}), ofLines: nextOfLines({}), oldest: oldest({}) };
  const { sealed, toTeam, ofLines, oldest: first } = await readBatch(database, reads);
  return { dueAt: earliest(...[sealed, toTeam, ofLines].map((next) => next?.at ?? undefined)), oldestAt: first?.at };
}

/** The state after an attempt. Exactly one of the three instants is set. */
export interface MailOutcome extends Pick<MailRow, "id" | "attempts" | "dueAt" | "deliveredAt" | "failedAt"> {}

const settle = write<{ outcomes: string }>((db) => {
  const { attempts, dueAt, deliveredAt, failedAt, content } = mails;
  const outcome = (name: keyof MailOutcome) => sql.raw(`j.value ->> '${name}'`);
  return db
    .update(mails)
    .set({
      attempts: sql`${outcome("attempts")}`,
      dueAt: sql`${outcome("dueAt")}`,
      deliveredAt: sql`${outcome("deliveredAt")}`,
      failedAt: sql`${outcome("failedAt")}`,
      content: sql`iif(${outcome("dueAt")} is null, null, ${content})`,
    })
    .from(sql`json_each(${given("outcomes")}) j`)
    .where(
      and(
        sql`${mails.id} = ${outcome("id")}`,
        sql`${attempts} = ${outcome("attempts")} - 1`,
        and(isNotNull(dueAt), isNull(deliveredAt), isNull(failedAt)),
        isOfHere,
      ),
    );
});

/**
 * Stores the outcomes of attempts. An outcome that is reported again doesn't count twice. Deletes the content of mails
 * that are delivered or have failed.
 */
export const settleMails = (outcomes: readonly MailOutcome[]) => settle({ outcomes: JSON.stringify(outcomes) });

/** Deletes the oldest mails first. */
export const deleteOldMails = write<{ before: number; limit: number }>((db) =>
  db.delete(mails).where(
    inArray(
      mails.id,
      db
        .select({ id: mails.id })
        .from(mails)
        .where(and(lte(mails.createdAt, given("before")), isOfHere))
        .orderBy(asc(mails.createdAt))
        .limit(given("limit")),
    ),
  ),
);

const allSealed = readAll<{ after: string; limit: number }, SealedContent>((db) =>
  db
    .select({ id: mails.id, programId: mails.programId, content: sql<string>`${mails.content}` })
    .from(mails)
    .where(and(gt(mails.id, given("after")), isNotNull(mails.content)))
    .orderBy(asc(mails.id))
    .limit(given("limit")),
);
type SealedContent = Pick<MailRow, "id" | "programId"> & { readonly content: string };

export const listSealedMails = async (
  database: Database,
  after: string,
  limit: number,
): Promise<readonly SealedContent[]> => await readOne(database, allSealed({ after, limit }));

const replaceContent = write<{ id: string; before: string; after: string }>((db) =>
  db
    .update(mails)
    .set({ content: unencoded("after") })
    .where(and(eq(mails.id, given("id")), eq(mails.content, given("before")))),
);

/** Replaces encrypted contents. Skips mails that were sent since they were read. */
export async function replaceSealedMails(
  database: Database,
  changes: readonly { readonly id: string; readonly before: string; readonly after: string }[],
): Promise<void> {
  if (changes.length > 0) await writeWithRetry(database, changes.map(replaceContent));
}

const waiting = readFirst<Record<string, never>, { mails: number; oldestAt: number | null }>((db) =>
  db
    .select({ mails: count(), oldestAt: min(mails.createdAt) })
    .from(mails)
    .where(waits),
);
const failed = readCount<Record<string, never>>((db) =>
  db
    .select({ n: count() })
    .from(mails)
    .where(and(isNotNull(mails.failedAt), isOfHere)),
);

export interface MailFigures {
  readonly waiting: number;
  /** Instant (ms). */
  readonly oldestAt: number | undefined;
  readonly failed: number;
}

/** Makes one database request. */
export async function readMailFigures(database: Database): Promise<MailFigures> {
  const found = await readBatch(database, { waiting: waiting({}), failed: failed({}) });
  return {
    waiting: found.waiting?.mails ?? 0,
    oldestAt: found.waiting?.oldestAt ?? undefined,
    failed: found.failed,
  };
}
