import { and, asc, eq, gte, inArray, lt, not, or, type SQL, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { emptiedApplication } from "./erased-columns.ts";
import { isHere } from "./program-place.ts";
import { applications } from "./schema/applications.ts";
import { claims } from "./schema/claims.ts";
import { clickEventIds, clicks } from "./schema/clicks.ts";
import { customerClicks } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { notes } from "./schema/notes.ts";
import { partnerInvitations } from "./schema/partner-access.ts";
import { programRetention } from "./schema/retention.ts";
import { unknownCodes } from "./schema/unknown-codes.ts";
import { given, readAll, readFirst, unencoded, write } from "./statement.ts";

export type RetentionRow = typeof programRetention.$inferSelect;

/** The programs of this database that are due next. `skip` is a JSON array of program ids. */
export const nextRetention = readAll<{ skip: string; limit: number }, { programId: ProgramId; dueAt: number }>((db) =>
  db
    .select({ programId: programRetention.programId, dueAt: programRetention.dueAt })
    .from(programRetention)
    .where(
      sql`${isHere(programRetention.programId)}
        and ${programRetention.programId} not in (select value from json_each(${given("skip")}))`,
    )
    .orderBy(asc(programRetention.dueAt))
    .limit(given("limit")),
);

export const retentionOfProgram = readFirst<{ programId: ProgramId }, RetentionRow>((db) =>
  db
    .select()
    .from(programRetention)
    .where(eq(programRetention.programId, given("programId"))),
);

/**
 * True if the click was reported for a customer, or is in a lead without a customer. Such a click must stay, because
 * explanations refer to it.
 */
const isNamed: SQL = sql`(
  exists (select 1 from ${customerClicks} k where k.click_id = ${clicks}.click_id)
  or exists (select 1 from ${leads} l where l.click_id = ${clicks}.click_id and l.click_id is not null and l.customer_id is null))`;

type OldClick = Pick<typeof clicks.$inferSelect, "id" | "occurredAt" | "createdAt"> & { readonly isNamed: boolean };

/** Live clicks after a position, in chronological order. */
const clicksAfter = readAll<
  { programId: ProgramId; clickAt: number; clickRow: number; before: number; limit: number },
  OldClick
>((db) =>
  db
    .select({
      id: clicks.id,
      occurredAt: clicks.occurredAt,
      createdAt: clicks.createdAt,
      isNamed: isNamed.mapWith(Boolean),
    })
    .from(clicks)
    .where(
      and(
        eq(clicks.programId, given("programId")),
        eq(clicks.isTest, false),
        gte(clicks.occurredAt, given("clickAt")),
        lt(clicks.occurredAt, given("before")),
        or(sql`${clicks.occurredAt} > ${unencoded("clickAt")}`, sql`${clicks.id} > ${unencoded("clickRow")}`),
      ),
    )
    .orderBy(asc(clicks.occurredAt), asc(clicks.id))
    .limit(given("limit")),
);

const isAfterEvent = sql`(${clickEventIds.isTest}, ${clickEventIds.eventId}, ${clickEventIds.linkId})
  > (${unencoded("isTest")}, ${unencoded("eventId")}, ${unencoded("linkId")})`;

type EventPosition = Pick<typeof clickEventIds.$inferSelect, "isTest" | "eventId" | "linkId">;

/** Event ids of both books after a position. */
const eventIdsAfter = readAll<
  { programId: ProgramId; limit: number } & EventPosition,
  EventPosition & { recordedAt: number }
>((db) =>
  db
    .select({
      isTest: clickEventIds.isTest,
      eventId: clickEventIds.eventId,
      linkId: clickEventIds.linkId,
      recordedAt: clickEventIds.recordedAt,
    })
    .from(clickEventIds)
    .where(and(eq(clickEventIds.programId, given("programId")), isAfterEvent))
    .orderBy(asc(clickEventIds.isTest), asc(clickEventIds.eventId), asc(clickEventIds.linkId))
    .limit(given("limit")),
);

const isDeclinedBefore = and(
  eq(applications.programId, given("programId")),
  sql`${applications.status} = 'declined' and ${applications.name} <> ''`,
  lt(applications.decidedAt, given("before")),
);

const declinedBefore = readAll<{ programId: ProgramId; before: number; limit: number }, { id: number }>((db) =>
  db.select({ id: applications.id }).from(applications).where(isDeclinedBefore).limit(given("limit")),
);

const isDecidedBefore = and(
  eq(claims.programId, given("programId")),
  sql`${claims.hasTexts} = 1 and ${claims.decidedAt} is not null`,
  lt(claims.decidedAt, given("before")),
);

const decidedBefore = readAll<{ programId: ProgramId; before: number; limit: number }, { id: number }>((db) =>
  db.select({ id: claims.id }).from(claims).where(isDecidedBefore).limit(given("limit")),
);

const isInvitationBefore = and(
  eq(partnerInvitations.programId, given("programId")),
  lt(partnerInvitations.expiresAt, given("before")),
);

const invitationsBefore = readAll<{ programId: ProgramId; before: number; limit: number }, { id: PartnerId }>((db) =>
  db
    .select({ id: partnerInvitations.partnerId })
    .from(partnerInvitations)
    .where(isInvitationBefore)
    .limit(given("limit")),
);

const isUnknownCodeBefore = and(
  eq(unknownCodes.programId, given("programId")),
  inArray(unknownCodes.isTest, [false, true]),
  lt(unknownCodes.day, given("before")),
);

const unknownCodesBefore = readAll<
  { programId: ProgramId; before: string; limit: number },
  { isTest: boolean; day: string; code: string }
>((db) =>
  db
    .select({ isTest: unknownCodes.isTest, day: unknownCodes.day, code: unknownCodes.code })
    .from(unknownCodes)
    .where(isUnknownCodeBefore)
    .limit(given("limit")),
);

export const retained = {
  clicksAfter,
  eventIdsAfter,
  declinedBefore,
  decidedBefore,
  invitationsBefore,
  unknownCodesBefore,
};

const isProgramHere = isHere(sql`${unencoded("programId")}`);

/** `ids` is a JSON array. A click that a lead or customer refers to by now isn't deleted. */
const removeClicks = write<{ programId: ProgramId; ids: string }>((db) =>
  db.delete(clicks).where(
    and(
      sql`${clicks.id} in (select value from json_each(${given("ids")}))`,
      // The unary plus keeps SQLite from scanning all clicks of the program.
      sql`+${clicks.programId} = ${given("programId")}`,
      not(isNamed),
      isProgramHere,
    ),
  ),
);

type EventRange = { readonly [From in keyof EventPosition as `${From}From`]: EventPosition[From] } & EventPosition;

/**
 * Deletes event ids between two positions. The condition isn't a list of row values (`in`), because SQLite would then
 * scan all event ids of the program.
 */
const removeEventIds = write<{ programId: ProgramId; before: number } & EventRange>((db) =>
  db.delete(clickEventIds).where(
    and(
      eq(clickEventIds.programId, given("programId")),
      sql`(${clickEventIds.isTest}, ${clickEventIds.eventId}, ${clickEventIds.linkId})
        > (${unencoded("isTestFrom")}, ${unencoded("eventIdFrom")}, ${unencoded("linkIdFrom")})`,
      sql`(${clickEventIds.isTest}, ${clickEventIds.eventId}, ${clickEventIds.linkId})
        <= (${unencoded("isTest")}, ${unencoded("eventId")}, ${unencoded("linkId")})`,
      lt(clickEventIds.recordedAt, given("before")),
      isProgramHere,
    ),
  ),
);

const isOfIds = and(sql`${applications.id} in (select value from json_each(${given("ids")}))`, isDeclinedBefore);

/** Place this write before the statement that empties the application. */
const forgetNotes = write<{ programId: ProgramId; ids: string; before: number }>((db) =>
  db
    .update(notes)
    .set({ text: null })
    .where(
      and(
        sql`${notes.id} in ${db.select({ id: applications.partnerNoteId }).from(applications).where(isOfIds)}`,
        isProgramHere,
      ),
    ),
);

const forgetApplications = write<{ programId: ProgramId; ids: string; before: number }>((db) =>
  db.update(applications).set(emptiedApplication).where(and(isOfIds, isProgramHere)),
);

const isOfClaims = and(sql`${claims.id} in (select value from json_each(${given("ids")}))`, isDecidedBefore);

/** Place this write before the statement that marks the claims. */
const forgetClaimTexts = write<{ programId: ProgramId; ids: string; before: number }>((db) => {
  const noteIds = [claims.referenceId, claims.noteId, claims.partnerNoteId].map(
    (id) => sql`select ${id} from ${claims} where ${isOfClaims}`,
  );
  return db
    .update(notes)
    .set({ text: null })
    .where(and(sql`${notes.id} in (${sql.join(noteIds, sql` union all `)})`, isProgramHere));
});

const markClaims = write<{ programId: ProgramId; ids: string; before: number }>((db) =>
  db.update(claims).set({ hasTexts: false }).where(and(isOfClaims, isProgramHere)),
);

const removeInvitations = write<{ programId: ProgramId; ids: string; before: number }>((db) =>
  db
    .delete(partnerInvitations)
    .where(
      and(
        sql`${partnerInvitations.partnerId} in (select value from json_each(${given("ids")}))`,
        isInvitationBefore,
        isProgramHere,
      ),
    ),
);

/** `rows` is a JSON array of book, day and code. */
const removeUnknownCodes = write<{ programId: ProgramId; rows: string; before: string }>((db) =>
  db.delete(unknownCodes).where(
    and(
      isUnknownCodeBefore,
      sql`(${unknownCodes.isTest}, ${unknownCodes.day}, ${unknownCodes.code})
        in (select value ->> 0, value ->> 1, value ->> 2 from json_each(${given("rows")}))`,
      isProgramHere,
    ),
  ),
);

/**
 * Moves the position forward, unless a late click was recorded in the meantime: that click may be before the new
 * position.
 */
const advance = write<RetentionRow>((db) =>
  db
    .update(programRetention)
    .set({
      dueAt: unencoded("dueAt"),
      clickAt: unencoded("clickAt"),
      clickRow: unencoded("clickRow"),
      eventIsTest: unencoded("eventIsTest"),
      eventId: unencoded("eventId"),
      eventLinkId: unencoded("eventLinkId"),
    })
    .where(
      and(
        eq(programRetention.programId, given("programId")),
        eq(programRetention.lateClicks, given("lateClicks")),
        isProgramHere,
      ),
    ),
);

export const removal = {
  removeClicks,
  removeEventIds,
  forgetNotes,
  forgetApplications,
  forgetClaimTexts,
  markClaims,
  removeInvitations,
  removeUnknownCodes,
  advance,
};
