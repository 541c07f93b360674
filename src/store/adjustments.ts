import { and, count, desc, eq, getTableColumns, inArray } from "drizzle-orm";
import { textOfNote } from "./notes.ts";
import { adjustments } from "./schema/payouts.ts";
import { type Compiler, everyColumn, given, insert, type RowOf, readCount, readFirst } from "./statement.ts";

export type AdjustmentRow = typeof adjustments.$inferSelect;

/** Includes the texts of the notes. They are null after an erasure. */
export const selectAdjustments = (db: Compiler) =>
  db
    .select({
      ...getTableColumns(adjustments),
      reason: textOfNote(adjustments.reasonId),
      partnerNote: textOfNote(adjustments.partnerNoteId),
    })
    .from(adjustments);
export type AdjustmentView = RowOf<typeof selectAdjustments>;

/** `sentReference` is the reference without trimming, because earlier versions stored it that way. */
type Reference = Pick<AdjustmentRow, "programId" | "partnerId" | "reference"> & { readonly sentReference: string };

export const adjustmentByReference = readFirst<Reference, AdjustmentView>((db) =>
  selectAdjustments(db)
    .where(
      and(
        eq(adjustments.programId, given("programId")),
        eq(adjustments.partnerId, given("partnerId")),
        inArray(adjustments.reference, [given("reference"), given("sentReference")]),
      ),
    )
    .orderBy(desc(eq(adjustments.reference, given("sentReference")))),
);

/** 1 if an adjustment of the partner has this reference, otherwise 0. */
export const countOfReference = readCount<Pick<AdjustmentRow, "programId" | "partnerId" | "reference">>((db) =>
  db
    .select({ n: count() })
    .from(adjustments)
    .where(
      and(
        eq(adjustments.programId, given("programId")),
        eq(adjustments.partnerId, given("partnerId")),
        eq(adjustments.reference, given("reference")),
      ),
    ),
);

export const insertAdjustment = insert<AdjustmentRow>((db) => db.insert(adjustments).values(everyColumn(adjustments)));
