import type { DutyParts } from "#engine/duty.ts";
import { type OpenErasure, openErasures } from "#store/open-erasures.ts";
import { nextPendingMoves, type PendingMove } from "#store/pending-moves.ts";
import { Steps } from "./steps.ts";
import type { TaskMaker } from "./task.ts";

/** Continues pending moves, which reattribute the sales of customers. */
export const moves = (taskOf: TaskMaker, clock: DutyParts["clock"]) =>
  new Steps<PendingMove>(
    {
      name: "moves",
      next: (last, limit) => nextPendingMoves({ after: last?.customerId ?? 0, limit }),
      async step({ customerId, programId }, at) {
        const { continueMove } = await import("#operations/customer-events.ts");
        const operationId = `move of customer ${customerId}`;
        return taskOf(continueMove, { kind: "continue-move", operationId, at, programId, customerId }, at);
      },
    },
    clock,
  );

/** Continues erasures of many rows. */
export const erasures = (taskOf: TaskMaker, clock: DutyParts["clock"]) =>
  new Steps<OpenErasure>(
    {
      name: "erasures",
      next: (last, limit) => openErasures({ after: last?.id ?? "", limit }),
      async step({ id, programId }, at) {
        const { continueErasure } = await import("#operations/changes.ts");
        const operationId = `steps of ${id}`;
        return taskOf(continueErasure, { kind: "continue-erasure", operationId, at, programId, erasureId: id }, at);
      },
    },
    clock,
  );
