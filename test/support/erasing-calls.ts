import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { continueErasure } from "#operations/privacy/continue-erasure.ts";
import type { ErasePersonCall } from "#operations/privacy/erase-person.ts";
import type { World } from "../../harness/world.ts";
import type { callsOf } from "./ledger-calls.ts";
import { daysAgo } from "./program-fixture.ts";

type Calls = ReturnType<typeof callsOf>;

/** Erasures by a Ledger without a runtime, a millisecond after its other calls. */
export function erasingCallsOf({ programId, rows }: Pick<World, "programId" | "rows">, calls: Pick<Calls, "ledger">) {
  const { ledger } = calls;
  const now = daysAgo(0);
  const eraseTask = (key: string | null, more: Partial<ErasePersonCall> = {}) =>
    ledger.changeTask(
      {
        ...{ kind: "erase-person", operationId: randomBytes(8).toString("hex"), at: now + 1, actorId: "owner" },
        ...{ programId, keys: key === null ? [] : [key], emailHash: null, clickId: null, digests: "[]" },
        ...more,
      } as const,
      now,
    );
  const opened = async () =>
    (await rows("select * from erasures where program_id = ? order by requested_at", programId)).at(-1);
  return {
    eraseTask,
    async erase(...asked: Parameters<typeof eraseTask>) {
      const erased = await ledger.submit(eraseTask(...asked)).outcome;
      expect(erased, ledger.faults.map(String).join()).toMatchObject({ ok: true });
    },
    /** The newest. */
    opened,
    async stepTask() {
      const erasureId = String((await opened())?.id);
      const operationId = `steps of ${erasureId}`;
      return ledger.taskOf(
        continueErasure,
        { kind: "continue-erasure", operationId, at: now + 2, programId, erasureId },
        now,
      );
    },
  };
}
