import type { Context, KeyedCall, Operation } from "../operations/operation.ts";
import type { Write } from "../store/statement.ts";

export type WritesOf = (context: Pick<Context, "newId" | "postingAt">) => readonly Write[];

export interface IsolatedWriteCall extends KeyedCall {
  readonly kind: "isolated-write";
  readonly writesOf: WritesOf;
}

/** An internal write as a call of its own: it waits its turn in the queue, and can fail without the round's calls. */
export const isolatedWrite: Operation<IsolatedWriteCall, Record<never, never>, undefined> = {
  kind: "isolated-write",
  lane: "control",
  needs: () => [],
  gather: () => ({}),
  locks: () => ({ exclusive: [] }),
  decide: ({ writesOf }, _found, context) => ({
    kind: "commit",
    programId: 0,
    answer: undefined,
    writes: writesOf(context),
  }),
};
