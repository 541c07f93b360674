import { beginErasure, type ErasureRow, setErasureRows } from "#store/erasures.ts";
import { isRead, type Person, type Unread } from "#store/person.ts";
import type { Write } from "#store/statement.ts";
import { auditWrite, type ChangeCall } from "../manage/settings-change.ts";
import { type Commit, type Context, type Decision, retryWith } from "../operation.ts";
import { type AskedPerson, addedCounts, ended, eraseRows, mostRowsAtOnce, type RowCounts, rowsOf } from "./erasing.ts";
import { privacySubject } from "./person-call.ts";

export interface PersonErased {
  readonly receiptId: string;
  /** Null: it goes on. */
  readonly erasedAt: number | null;
  readonly rows: RowCounts;
}

const receiptPrefix = "erasure_";
export const receiptIdOf = (operationId: string): string => receiptPrefix + operationId;
export const operationOfReceipt = (receiptId: string): string => receiptId.slice(receiptPrefix.length);

export const answered = ({ id, programId, erasedAt, rows }: ErasureRow): Commit<PersonErased> => ({
  kind: "commit",
  programId,
  writes: [],
  answer: { receiptId: id, erasedAt, rows: JSON.parse(rows) },
});

export interface NewErasure {
  readonly call: Pick<ChangeCall, "operationId" | "programId" | "actorId" | "at">;
  readonly asked: AskedPerson;
  readonly subject: ErasureRow["subject"];
  /** By which a later call is recognized, whatever rows there are. */
  readonly remembered: readonly Write[];
}

function opened({ call: { operationId, programId, actorId, at }, asked, subject }: NewErasure) {
  const row = { id: receiptIdOf(operationId), programId, subject, requestedBy: actorId, requestedAt: at, rows: "{}" };
  const whom = { asked: JSON.stringify(asked), customerIds: JSON.stringify(asked.customerIds) };
  return { row, write: beginErasure({ ...row, ...whom }) };
}

const auditOf = (call: NewErasure["call"], receiptId: string, context: Context) =>
  auditWrite(
    call,
    { programId: call.programId, action: "person.erased", subject: privacySubject, before: null, after: { receiptId } },
    context,
  );

/** `size`: how many rows there are. */
export function erase(
  erasure: NewErasure,
  found: Unread & { readonly size: number },
  context: Context,
): Decision<PersonErased> {
  const isLong = found.size > mostRowsAtOnce;
  if (!isRead(found)) {
    return retryWith({ person: rowsOf(erasure.call.programId, erasure.asked, isLong ? "customers" : "all") });
  }
  return isLong ? eraseInSteps(erasure, found, context) : eraseAtOnce(erasure, found, context);
}

function eraseAtOnce(erasure: NewErasure, person: Person, context: Context): Commit<PersonErased> {
  const { call, asked, remembered } = erasure;
  const { programId, at } = call;
  const { row, write } = opened(erasure);
  const rows = addedCounts({}, person);
  return {
    kind: "commit",
    programId,
    answer: { receiptId: row.id, erasedAt: at, rows },
    writes: [
      write,
      ...remembered,
      ...eraseRows(row, asked, person, context),
      ended(row, asked, rows, at),
      auditOf(call, row.id, context),
    ],
    changes: { programId },
  };
}

/**
 * One of many rows begins with the customers: from then on, all that is told of them is told of erased ones. It goes on in
 * steps, with other calls between them.
 */
function eraseInSteps(erasure: NewErasure, person: Person, context: Context): Commit<PersonErased> {
  const { call, asked, remembered } = erasure;
  const { programId } = call;
  const { row, write } = opened(erasure);
  const rows = addedCounts({}, person);
  return {
    kind: "commit",
    programId,
    answer: { receiptId: row.id, erasedAt: null, rows },
    writes: [
      write,
      ...remembered,
      ...eraseRows(row, asked, person, context),
      setErasureRows({ id: row.id, rows: JSON.stringify(rows) }),
      auditOf(call, row.id, context),
    ],
    changes: { programId },
    holdUntil: call.at,
  };
}
