import type { Book } from "#domain/book.ts";
import { erasedId } from "#domain/erasure.ts";
import { ok, type Result } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import { int64 } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import {
  findRecordedSales,
  listRecordedSales,
  positionOf,
  type RecordedSaleView,
  type SalePosition,
} from "#store/views/recorded-sales.ts";
import { readFromDatabase } from "./read-database.ts";

export const salesPerPage = 500;
export const maxLookedUp = 500;

export const saleRecord = record("SaleFigures", {
  transactionId: z.string(),
  amountCents: int64().describe("Amount before refunds, in the currency's smallest unit."),
  currency: z.string(),
  refundedCents: int64(),
  occurredAt: instant("Time of the sale."),
  partnerCode: z.string().nullable().describe("Code of the partner that the sale is attributed to. Null if none."),
});

export const saleCursors = cursorOf("sales", { at: z.int(), id: z.int().positive() });

interface Asked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: SalePosition | undefined;
}

const instantIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseTimestamp(text);

/** Reads a page of sales, newest first. A corrected sale is listed once, with the figures of its newest version. */
export async function readSales(c: Ctx, book: Book, { from, to, cursor }: Asked) {
  const asked = { from: instantIn(from), to: instantIn(to), after: cursor, limit: salesPerPage + 1 };
  const found = await readFromDatabase(c, "program", (database) => listRecordedSales(database, book, asked));
  return found.ok ? ok(saleCursors.pageOf(found.value, salesPerPage, positionOf)) : found;
}

interface LookedUp {
  readonly found: readonly RecordedSaleView[];
  readonly absent: readonly string[];
}

/** Finds sales by their transaction ids, including ids that an erasure has replaced. */
export async function lookUpSales(c: Ctx, book: Book, transactionIds: readonly string[]): Promise<Result<LookedUp>> {
  const asked = [...new Set(transactionIds)];
  const known = await findAs(c, book, new Map(asked.map((id) => [id, id])));
  if (!known.ok) return known;
  const rest = asked.filter((id) => !known.value.has(id));
  const secrets = { programId: book.programId, hashSecret: hashSecretOf(c.env) };
  const replaced = c.get("log").hasErased ? new Map(rest.map((id) => [erasedId(secrets, id), id])) : new Map();
  const erased = replaced.size > 0 ? await findAs(c, book, replaced) : ok(new Map<string, RecordedSaleView>());
  if (!erased.ok) return erased;
  const saleOf = (id: string) => known.value.get(id) ?? erased.value.get(id);
  return ok({
    found: asked.flatMap((id) => saleOf(id) ?? []),
    absent: asked.filter((id) => saleOf(id) === undefined),
  });
}

/** Finds sales by their stored ids, and returns each under the id that the caller asked for. */
async function findAs(
  c: Ctx,
  book: Book,
  askedOf: ReadonlyMap<string, string>,
): Promise<Result<ReadonlyMap<string, RecordedSaleView>>> {
  const read = await readFromDatabase(c, "program", (database) =>
    findRecordedSales(database, book, [...askedOf.keys()]),
  );
  if (!read.ok) return read;
  return ok(
    new Map(
      read.value.flatMap((sale) => {
        const transactionId = askedOf.get(sale.transactionId);
        return transactionId === undefined ? [] : [[transactionId, { ...sale, transactionId }]];
      }),
    ),
  );
}
