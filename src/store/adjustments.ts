import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { textOfNote } from "./notes.ts";
import { adjustments } from "./schema/payouts.ts";
import { everyColumn, readFirst, write } from "./statement.ts";

export type AdjustmentRow = typeof adjustments.$inferSelect;

/** With its texts. */
export interface AdjustmentView extends AdjustmentRow {
  /** Null: erased. */
  readonly reason: string | null;
  readonly partnerNote: string | null;
}

const given = sql.placeholder;

export const adjustmentByReference = readFirst<
  Pick<AdjustmentRow, "programId" | "partnerId" | "reference">,
  AdjustmentView
>((db) =>
  db
    .select({
      ...getTableColumns(adjustments),
      reason: textOfNote(adjustments.reasonId),
      partnerNote: textOfNote(adjustments.partnerNoteId),
    })
    .from(adjustments)
    .where(
      and(
        eq(adjustments.programId, given("programId")),
        eq(adjustments.partnerId, given("partnerId")),
        eq(adjustments.reference, given("reference")),
      ),
    ),
);

export const insertAdjustment = write<AdjustmentRow>((db) => db.insert(adjustments).values(everyColumn(adjustments)));
