import { beginErasure, type ErasureRow } from "#store/erasures.ts";
import { isRead, type PersonRows, type Unread } from "#store/person.ts";
import { auditWrite, type ChangeCall } from "../manage/settings-change.ts";
import { type Commit, type Context, type Decision, retryWith } from "../operation.ts";
import {
  type AskedPerson,
  addedCounts,
  customersOf,
  eraseRows,
  mostRowsAtOnce,
  progress,
  type RowCounts,
  remembered,
  renamedElsewhere,
  rowsOf,
} from "./erasing.ts";
import { privacySubject } from "./person-call.ts";

/** Reads a person's rows: `personSize` counts them, `person` returns them. */
export interface MoreOfPerson {
  readonly personSize: PersonRows;
  readonly person: PersonRows;
}

export interface PersonErased {
  readonly receiptId: string;
  /** Milliseconds. Null while the erasure is running. */
  readonly erasedAt: number | null;
  readonly rows: RowCounts;
}

const receiptPrefix = "erasure_";
export const receiptIdOf = (operationId: string): string => receiptPrefix + operationId;
export const operationOfReceipt = (receiptId: string): string => receiptId.slice(receiptPrefix.length);

export const answered = ({
  id,
  programId,
  erasedAt,
  rows,
}: Pick<ErasureRow, "id" | "programId" | "erasedAt" | "rows">): Commit<PersonErased> => ({
  kind: "commit",
  programId,
  writes: [],
  answer: { receiptId: id, erasedAt, rows: JSON.parse(rows) },
});

export interface NewErasure {
  readonly call: Pick<ChangeCall, "operationId" | "programId" | "actorId" | "at">;
  readonly asked: AskedPerson;
  readonly subject: ErasureRow["subject"];
  /** Digests by which later calls about the person are recognized, even if there are no rows. */
  readonly digests: readonly string[];
}

/**
 * Starts an erasure. `size` is the number of rows. A large erasure covers the customers first. From then on, new data
 * about these customers is treated as data of erased customers. Other calls may run between the steps that follow.
 */
export function erase(
  { call, asked, subject, digests }: NewErasure,
  found: Unread & { readonly size: number },
  context: Context,
): Decision<PersonErased, MoreOfPerson> {
  const { operationId, programId, actorId, at } = call;
  const isLong = found.size > mostRowsAtOnce;
  if (!isRead(found)) return retryWith({ person: rowsOf(programId, asked, isLong ? "customers" : "all") });
  const row = { id: receiptIdOf(operationId), programId, subject, requestedBy: actorId, requestedAt: at, rows: "{}" };
  const rows = addedCounts({}, found);
  const erasedAt = isLong ? null : at;
  return {
    kind: "commit",
    programId,
    answer: { receiptId: row.id, erasedAt, rows },
    writes: [
      beginErasure({ ...row, asked: JSON.stringify(asked), customerIds: customersOf(asked) }),
      ...remembered(row, digests),
      ...eraseRows(row, asked, found, context),
      ...renamedElsewhere(row, asked, context),
      progress(row, asked, rows, erasedAt),
      auditOf(call, row.id, context),
    ],
    changes: { programId },
    ...(isLong && { holdUntil: at }),
  };
}

const auditOf = (call: NewErasure["call"], receiptId: string, context: Context) =>
  auditWrite(
    call,
    { programId: call.programId, action: "person.erased", subject: privacySubject, before: null, after: { receiptId } },
    context,
  );
