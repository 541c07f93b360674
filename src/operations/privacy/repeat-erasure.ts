import { type ErasureRow, erasureById, insertErasedIdentifiers } from "#store/erasures.ts";
import { isRead, personReads, personSize } from "#store/person.ts";
import type { ChangeCall } from "../manage/settings-change.ts";
import { type Missing, type Operation, retryWith } from "../operation.ts";
import { type AskedPerson, mostRowsAtOnce, rowsOf } from "./erasing.ts";
import { answered, eraseAtOnce, eraseInSteps, type PersonErased, receiptIdOf } from "./erasure-commits.ts";

/**
 * An erasure that a restored database lacks, with its first operation, actor and instant, and so the same receipt and the
 * same pseudonyms.
 */
export interface RepeatErasureCall extends ChangeCall, Pick<ErasureRow, "subject"> {
  readonly kind: "repeat-erasure";
  /** As found by the digests. */
  readonly asked: AskedPerson;
  /** A JSON array. */
  readonly digests: string;
}

const gather = ({ operationId, programId }: RepeatErasureCall, missing: Missing) => ({
  receipt: erasureById({ programId, id: receiptIdOf(operationId) }),
  size: missing.personSize && personSize({ ...missing.personSize }),
  ...(missing.person && personReads(missing.person)),
});

export const repeatErasure: Operation<RepeatErasureCall, ReturnType<typeof gather>, PersonErased> = {
  kind: "repeat-erasure",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    if (found.receipt !== undefined) return answered(found.receipt);
    const { operationId, programId, asked, subject, digests } = call;
    const all = rowsOf(programId, asked, "all");
    if (found.size === undefined) return retryWith({ personSize: all });
    const remembered = [insertErasedIdentifiers({ programId, erasureId: receiptIdOf(operationId), digests })];
    const erasure = { call, asked, subject, remembered };
    if (found.size > mostRowsAtOnce) return eraseInSteps(erasure, context);
    return isRead(found) ? eraseAtOnce(erasure, found, context) : retryWith({ person: all });
  },
};
