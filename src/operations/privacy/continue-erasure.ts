import type { ProgramId } from "#domain/ids.ts";
import { erasureById } from "#store/erasures.ts";
import { isRead, personReads } from "#store/person.ts";
import { type Call, type Operation, retryWith } from "../operation.ts";
import { type AskedPerson, addedCounts, eraseRows, mostPerStep, progress, type RowCounts, rowsOf } from "./erasing.ts";
import type { MoreOfPerson } from "./erasure-commits.ts";

/** The next step of a large erasure: it erases a batch of clicks and sales. The erasure ends when no more are left. */
export interface ContinueErasureCall extends Call {
  readonly kind: "continue-erasure";
  readonly programId: ProgramId;
  readonly erasureId: string;
}

export interface ErasureContinued {
  readonly isOver: boolean;
}

type More = Pick<MoreOfPerson, "person">;

const gather = ({ programId, erasureId }: ContinueErasureCall, { person }: Partial<More>) => ({
  erasure: erasureById({ programId, id: erasureId }),
  ...(person && personReads(person)),
});

export const continueErasure: Operation<ContinueErasureCall, ReturnType<typeof gather>, ErasureContinued, More> = {
  kind: "continue-erasure",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide({ programId, at }, found, context) {
    const { erasure } = found;
    if (erasure?.asked == null) return { kind: "commit", programId, answer: { isOver: true }, writes: [] };
    const asked = JSON.parse(erasure.asked) as AskedPerson;
    if (!isRead(found)) return retryWith({ person: rowsOf(programId, asked, "step") });
    const isOver = Math.max(found.sales.length, found.customerClicks.length) < mostPerStep;
    const rows = addedCounts(JSON.parse(erasure.rows) as RowCounts, found);
    return {
      kind: "commit",
      programId,
      answer: { isOver },
      writes: [...eraseRows(erasure, asked, found, context), progress(erasure, asked, rows, isOver ? at : null)],
    };
  },
};
