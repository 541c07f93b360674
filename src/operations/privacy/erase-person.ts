import { beginErasure, type ErasureRow, erasureById } from "#store/erasures.ts";
import { isRead, type Person, personReads, personSize } from "#store/person.ts";
import { auditWrite } from "../manage/settings-change.ts";
import { type Commit, type Context, type Missing, type Operation, refuse, retryWith } from "../operation.ts";
import {
  type AskedPerson,
  addedCounts,
  askedPerson,
  ended,
  eraseRows,
  mostRowsAtOnce,
  type RowCounts,
  remembered,
  rowsOf,
} from "./erasing.ts";
import { gatherPerson, limitOf, type PersonCall, privacySubject } from "./person-call.ts";

export interface ErasePersonCall extends PersonCall {
  readonly kind: "erase-person";
  /** Random. */
  readonly salt: string;
}

export interface PersonErased {
  readonly receiptId: string;
  /** Null: it goes on. */
  readonly erasedAt: number | null;
  readonly rows: RowCounts;
}

const retryAfterSeconds = 5;

const receiptIdOf = (operationId: string): string => `erasure_${operationId}`;

function gather(call: ErasePersonCall, missing: Missing) {
  const { operationId, programId } = call;
  return {
    ...gatherPerson(call),
    receipt: erasureById({ programId, id: receiptIdOf(operationId) }),
    size: missing.personSize && personSize({ ...missing.personSize }),
    ...(missing.person && personReads(missing.person)),
  };
}

export const erasePerson: Operation<ErasePersonCall, ReturnType<typeof gather>, PersonErased> = {
  kind: "erase-person",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    const { programId } = call;
    if (found.receipt !== undefined) return answered(programId, found.receipt);
    // A click that is written after this would bring back what it erases.
    if (context.keptClicksOf(programId) > 0) return refuse({ code: "unavailable", retryAfterSeconds });
    const limited = limitOf(found);
    if (limited !== undefined) return limited;
    const asked = askedPerson(call, found.meant, call.salt);
    const all = rowsOf(programId, asked, "all");
    if (found.size === undefined) return retryWith({ personSize: all });
    if (found.size === 0) return refuse({ code: "person_not_found", receiptId: found.earlier?.id });
    if (found.size > mostRowsAtOnce) return begin(call, asked, context);
    return isRead(found) ? eraseAtOnce(call, asked, found, context) : retryWith({ person: all });
  },
};

function answered(programId: number, { id, erasedAt, rows }: ErasureRow): Commit<PersonErased> {
  return { kind: "commit", programId, writes: [], answer: { receiptId: id, erasedAt, rows: JSON.parse(rows) } };
}

function opened({ operationId, programId, actorId, at }: ErasePersonCall, asked: AskedPerson) {
  const subject = asked.customerIds.length === 0 ? ("click" as const) : ("customer" as const);
  const row = { id: receiptIdOf(operationId), programId, subject, requestedBy: actorId, requestedAt: at, rows: "{}" };
  const whom = { asked: JSON.stringify(asked), customerIds: JSON.stringify(asked.customerIds) };
  return { row, write: beginErasure({ ...row, ...whom }) };
}

const auditOf = (call: ErasePersonCall, receiptId: string, context: Context) =>
  auditWrite(
    call,
    { programId: call.programId, action: "person.erased", subject: privacySubject, before: null, after: { receiptId } },
    context,
  );

const namesOf = ({ emailHash }: ErasePersonCall, asked: AskedPerson): readonly string[] => [
  ...asked.names,
  ...asked.clickIds,
  ...(emailHash === null ? [] : [emailHash]),
];

function eraseAtOnce(
  call: ErasePersonCall,
  asked: AskedPerson,
  person: Person,
  context: Context,
): Commit<PersonErased> {
  const { programId, at } = call;
  const { row, write } = opened(call, asked);
  const rows = addedCounts({}, person);
  return {
    kind: "commit",
    programId,
    answer: { receiptId: row.id, erasedAt: at, rows },
    writes: [
      write,
      ...remembered(row, namesOf(call, asked), context),
      ...eraseRows(row, asked, person, context),
      ended(row, asked, rows, at),
      auditOf(call, row.id, context),
    ],
    changes: { programId },
  };
}

/** One of many rows goes on in steps, with other calls between them. */
function begin(call: ErasePersonCall, asked: AskedPerson, context: Context): Commit<PersonErased> {
  const { programId } = call;
  const { row, write } = opened(call, asked);
  return {
    kind: "commit",
    programId,
    answer: { receiptId: row.id, erasedAt: null, rows: {} },
    writes: [write, ...remembered(row, namesOf(call, asked), context), auditOf(call, row.id, context)],
    changes: { programId },
    holdUntil: call.at,
  };
}
