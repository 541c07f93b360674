import type { KeyedCall, Operation } from "#operations/operation.ts";
import type { Write } from "#store/statement.ts";

export interface IsolatedWriteCall extends KeyedCall {
  readonly kind: "isolated-write";
  readonly writesOf: () => readonly Write[];
}

export const isolatedWrite: Operation<IsolatedWriteCall, Record<never, never>, undefined> = {
  kind: "isolated-write",
  lane: "control",
  // It may change what calls lock.
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
