import type { ProgramId } from "#domain/ids.ts";
import type { KeyScope } from "#domain/program-key.ts";
import type { Call, Operation, PresentedKey } from "./operation.ts";

export interface KeyCall extends Call {
  readonly kind: "key";
  readonly key: PresentedKey;
  readonly isTest?: boolean;
}

export interface KeyChecked {
  readonly programId: ProgramId;
  readonly scopes: readonly KeyScope[];
}

export const checkKey: Operation<KeyCall, Record<never, never>, KeyChecked> = {
  kind: "key",
  lane: "control",
  needs: () => [],
  gather: () => ({}),
  locks: () => ({ exclusive: [] }),
  decide({ key: { programId, hash } }, _, { settings }) {
    const scopes = settings.program(programId)?.keys.find((key) => key.hash === hash)?.scopes ?? [];
    return { kind: "commit", programId, answer: { programId, scopes }, writes: [] };
  },
};
