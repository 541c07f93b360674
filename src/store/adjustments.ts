import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { adjustments } from "./schema/payouts.ts";
import { everyColumn, readFirst, write } from "./statement.ts";

/** A trigger keeps the line that takes it. */
export type AdjustmentRow = Omit<typeof adjustments.$inferSelect, "lineId">;

const { lineId: _line, ...columns } = getTableColumns(adjustments);

const given = sql.placeholder;

export const adjustmentByReference = readFirst<
  Pick<AdjustmentRow, "programId" | "partnerId" | "reference">,
  AdjustmentRow
>((db) =>
  db
    .select(columns)
    .from(adjustments)
    .where(
      and(
        eq(adjustments.programId, given("programId")),
        eq(adjustments.partnerId, given("partnerId")),
        eq(adjustments.reference, given("reference")),
      ),
    ),
);

export const insertAdjustment = write<AdjustmentRow>((db) => {
  const { lineId: _taken, ...values } = everyColumn(adjustments);
  return db.insert(adjustments).values(values);
});
