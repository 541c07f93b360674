import type { Clock } from "#engine/writer.ts";
import type { KeyedCall, Operation } from "#operations/operation.ts";
import type { Write } from "#store/statement.ts";
import type { TaskMaker } from "./task.ts";

interface IsolatedWriteCall extends KeyedCall {
  readonly kind: "isolated-write";
  readonly writesOf: () => readonly Write[];
}

const isolatedWrite: Operation<IsolatedWriteCall, Record<never, never>, undefined> = {
  kind: "isolated-write",
  lane: "control",
  // Exclusive (alone in its round), because the writes may change data that calls lock.
  isExclusive: true,
  needs: () => [],
  gather: () => ({}),
  locks: () => ({ exclusive: [] }),
  decide: ({ writesOf }) => ({
    kind: "commit",
    programId: 0,
    answer: undefined,
    writes: writesOf(),
  }),
};

export const isolatedTaskMaker =
  (taskOf: TaskMaker, clock: Pick<Clock, "now">) => (operationId: string, writesOf: () => readonly Write[]) => {
    const at = clock.now();
    return taskOf(isolatedWrite, { kind: "isolated-write", operationId, at, writesOf }, at);
  };
