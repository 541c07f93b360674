import { keyState } from "../domain/program-key.ts";
import type { Refusal } from "../domain/refusal.ts";
import type { Authority, Settings } from "./operation.ts";

export type Authorization =
  | { readonly ok: true; readonly programId: number; readonly keyRetiresAt: number | undefined }
  | { readonly ok: false; readonly refusal: Refusal };

/** Whether a call may speak for a program at `at` (ms). The program's settings must be at hand. */
export function authorize(key: Authority, settings: Settings, at: number): Authorization {
  if ("vouched" in key) return { ok: true, programId: key.programId, keyRetiresAt: undefined };
  const issued = settings.program(key.programId)?.keys.find(({ hash }) => hash === key.hash);
  if (issued === undefined) return { ok: false, refusal: { code: "invalid_key" } };
  const state = keyState(issued, at);
  if (state.state === "retired") {
    return { ok: false, refusal: { code: "key_retired", retiredAt: state.retiredAt } };
  }
  const keyRetiresAt = state.state === "retiring" ? state.retiresAt : undefined;
  return { ok: true, programId: key.programId, keyRetiresAt };
}
