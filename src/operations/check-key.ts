import type { KeyId, ProgramId } from "#domain/ids.ts";
import type { KeyBook, KeyScope } from "#domain/program-key.ts";
import { type Call, type Operation, type PresentedKey, refuse } from "./operation.ts";

export interface KeyCall extends Call {
  readonly kind: "key";
  readonly key: PresentedKey;
  readonly isTest?: boolean;
}

export interface KeyChecked {
  readonly programId: ProgramId;
  readonly keyId: KeyId;
  readonly scopes: readonly KeyScope[];
  readonly book: KeyBook;
}

export const checkKey: Operation<KeyCall, Record<never, never>, KeyChecked> = {
  kind: "key",
  lane: "control",
  needs: () => [],
  gather: () => ({}),
  locks: () => ({ exclusive: [] }),
  decide({ key: { programId, hash } }, _, { settings }) {
    const key = settings.program(programId)?.keys.find((each) => each.hash === hash);
    if (key === undefined) return refuse({ code: "invalid_key" });
    const { id: keyId, scopes, book } = key;
    return { kind: "commit", programId, answer: { programId, keyId, scopes, book }, writes: [] };
  },
};
