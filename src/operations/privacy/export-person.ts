import { type PersonRows, personSize } from "#store/person.ts";
import { auditedChange, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse, retryWith } from "../operation.ts";
import { mostRowsAtOnce, rowsOf } from "./erasing.ts";
import type { MoreOfPerson } from "./erasure-commits.ts";
import { gatherPerson, limitOf, type PersonCall, personOf, privacySubject } from "./person-call.ts";

/** Records in the audit trail that a member exports a person's data, and returns the ids by which the rows are read. */
export interface ExportPersonCall extends PersonCall {
  readonly kind: "export-person";
}

export interface PersonExported {
  readonly rows: PersonRows;
  /** True if the data is too large for the answer of an idempotent call. It is then fetched by a separate request. */
  readonly isLarge: boolean;
}

/**
 * The number of rows scanned to count the person's data: at most `mostRowsAtOnce` + 1 in each table. A round has room
 * for one such call.
 */
const rowsOfSize = 4 * mostRowsAtOnce;

type More = Pick<MoreOfPerson, "personSize">;

const gather = (call: ExportPersonCall, more: Partial<More>) => ({
  ...gatherPerson(call),
  size: more.personSize && personSize({ ...more.personSize }),
});

export const exportPerson: Operation<ExportPersonCall, ReturnType<typeof gather>, PersonExported, More> = {
  kind: "export-person",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [`privacy of program ${programId}`] }),

  decide(call, found, context) {
    const { programId } = call;
    const limited = limitOf(found);
    if (limited !== undefined) return limited;
    const asked = personOf(call, found);
    if ("kind" in asked) return asked;
    if (found.size === undefined) return retryWith({ personSize: rowsOf(programId, asked, "all"), rows: rowsOfSize });
    if (found.size === 0) return refuse({ code: "person_not_found", receiptId: found.earlier?.id });
    const answer = { rows: rowsOf(programId, asked, "export"), isLarge: found.size > mostRowsAtOnce };
    if (found.done !== undefined) return noChange(programId, answer);
    const change = { programId, action: "person.exported", subject: privacySubject, before: null, after: null };
    return auditedChange(call, change, { writes: [], answer }, context);
  },
};
