import { type ErasureRow, erasureById } from "#store/erasures.ts";
import { personReads, personSize } from "#store/person.ts";
import type { ChangeCall } from "../manage/settings-change.ts";
import { type Operation, retryWith } from "../operation.ts";
import { type AskedPerson, rowsOf } from "./erasing.ts";
import { answered, erase, type MoreOfPerson, type PersonErased, receiptIdOf } from "./erasure-commits.ts";

/**
 * Repeats an erasure that a restored database lacks. It has the operation id, actor and instant of the original, and
 * therefore creates the same receipt and the same pseudonyms.
 */
export interface RepeatErasureCall extends ChangeCall, Pick<ErasureRow, "subject"> {
  readonly kind: "repeat-erasure";
  /** The person as found by the stored digests. */
  readonly asked: AskedPerson;
  readonly digests: readonly string[];
}

const gather = ({ operationId, programId }: RepeatErasureCall, more: Partial<MoreOfPerson>) => ({
  receipt: erasureById({ programId, id: receiptIdOf(operationId) }),
  size: more.personSize && personSize({ ...more.personSize }),
  ...(more.person && personReads(more.person)),
});

export const repeatErasure: Operation<RepeatErasureCall, ReturnType<typeof gather>, PersonErased, MoreOfPerson> = {
  kind: "repeat-erasure",
  isEssential: true,
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    if (found.receipt !== undefined) return answered(found.receipt);
    const { programId, asked, subject, digests } = call;
    if (found.size === undefined) return retryWith({ personSize: rowsOf(programId, asked, "all") });
    return erase({ call, asked, subject, digests }, { ...found, size: found.size }, context);
  },
};
