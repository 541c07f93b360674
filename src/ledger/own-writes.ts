import type { Context, KeyedCall, Operation } from "../operations/operation.ts";
import type { Write } from "../store/statement.ts";

export interface OwnWritesCall extends KeyedCall {
  readonly kind: "own-writes";
  writesOf(context: Pick<Context, "newId">): readonly Write[];
}

/** Work of the Ledger's own as a call: it waits its turn, and answers for itself where its round fails. */
export const ownWrites: Operation<OwnWritesCall, Record<never, never>, undefined> = {
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
