import { and, eq, sql } from "drizzle-orm";
import type { MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { programs } from "./schema/programs.ts";
import { everyColumn, given, insert, readFirst, unencoded, update, write } from "./statement.ts";

export type ProgramRow = typeof programs.$inferSelect;

const hasId = eq(programs.id, given("id"));

export const programById = readFirst<{ id: ProgramId }, ProgramRow>((db) => db.select().from(programs).where(hasId));

export const updatePlaceOfRow = update(programs, ["id"], ["place", "leftTo", "leaveBy", "moveId"]);

/** After a restore from a backup: marks a program that had moved to another shard as having left this shard. */
export const leaveAgain = write<{ id: ProgramId; to: Shard; moveId: MoveId }>((db) =>
  db
    .update(programs)
    .set({ place: "left", leftTo: sql`${unencoded("to")}`, leaveBy: null, moveId: sql`${unencoded("moveId")}` })
    .where(
      and(
        eq(programs.id, given("id")),
        sql`${programs.place} <> 'left'`,
        sql`coalesce(${programs.moveId}, 0) < ${unencoded("moveId")}`,
      ),
    ),
);

export const insertProgram = insert<ProgramRow>((db) => db.insert(programs).values(everyColumn(programs)));

export const updateProgram = update(
  programs,
  ["id"],
  [
    "name",
    "websiteUrl",
    "currency",
    "timezone",
    "leadAuth",
    "attributionModel",
    "attributionWindowDays",
    "windowUntil",
    "cookieWindowDays",
    "payoutMode",
    "minimumPayoutCents",
    "payoutTerms",
    "payoutApproval",
    "requireDetails",
    "partnersSeeRevenue",
    "payerName",
    "payerIban",
    "payerBic",
    "issuerName",
    "issuerAddress",
    "issuerTaxId",
    "selfReferral",
    "duplicateSource",
    "blockedSource",
    "manySources",
    "blockedHosts",
    "reviewDays",
    "status",
    "archivedAt",
  ],
);
