import type { ProgramId } from "#domain/ids.ts";
import type { Call, Operation, PresentedKey } from "./operation.ts";

export interface KeyCall extends Call {
  readonly kind: "key";
  readonly key: PresentedKey;
  readonly isTest?: boolean;
}

export const checkKey: Operation<KeyCall, Record<never, never>, { readonly programId: ProgramId }> = {
  kind: "key",
  lane: "control",
  needs: () => [],
  gather: () => ({}),
  locks: () => ({ exclusive: [] }),
  decide: ({ key: { programId } }) => ({ kind: "commit", programId, answer: { programId }, writes: [] }),
};
