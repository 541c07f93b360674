import { keyState } from "../domain/program-key.ts";
import type { Refusal } from "../domain/refusal.ts";
import type { Credential, Settings } from "./operation.ts";

export type Authorization =
  | {
      readonly ok: true;
      readonly programId: number;
      /** Undefined: the call showed no key. */
      readonly keyId: number | undefined;
      readonly keyRetiresAt: number | undefined;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** Whether a call may speak for a program at `at` (ms). The program's settings must be at hand. */
export function authorize(key: Credential, settings: Settings, at: number): Authorization {
  const program = settings.program(key.programId);
  const archivedAt = program?.archivedAt ?? null;
  const isProgramArchived = archivedAt !== null;
  if ("vouched" in key) {
    if (isProgramArchived) return { ok: false, refusal: { code: "program_archived" } };
    return { ok: true, programId: key.programId, keyId: undefined, keyRetiresAt: undefined };
  }
  const issued = program?.keys.find(({ hash }) => hash === key.hash);
  if (issued === undefined) return { ok: false, refusal: { code: "invalid_key" } };
  const state = keyState(issued, at, archivedAt);
  if (state.state === "retired") {
    return { ok: false, refusal: { code: "key_retired", retiredAt: state.retiredAt, isProgramArchived } };
  }
  const keyRetiresAt = state.state === "retiring" ? state.retiresAt : undefined;
  return { ok: true, programId: key.programId, keyId: issued.id, keyRetiresAt };
}
