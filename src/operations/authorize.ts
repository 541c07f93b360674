import type { KeyId, ProgramId } from "#domain/ids.ts";
import { keyState, recognizedKey } from "#domain/program-key.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Credential, KeyedCall, Settings } from "./operation.ts";

export interface AuthorizedCaller {
  readonly programId: ProgramId;
  readonly keyId: KeyId | undefined;
  readonly keyRetiresAt: number | undefined;
}

/** Checks the call's key and that the program accepts calls. The program's settings must have been read. */
export function authorize(
  { at, isTest = false }: Pick<KeyedCall, "at" | "isTest">,
  key: Credential,
  settings: Settings,
): Result<AuthorizedCaller> {
  const { programId } = key;
  const program = settings.program(programId);
  const archivedAt = program?.archivedAt ?? null;
  const isProgramArchived = archivedAt !== null;
  if ("vouched" in key) {
    if (isProgramArchived) return refused({ code: "program_archived" });
    return ok({ programId, keyId: undefined, keyRetiresAt: undefined });
  }
  const issued = recognizedKey(program?.keys ?? [], key.hash, at);
  if (issued === undefined) return refused({ code: "invalid_key" });
  const state = keyState(issued, at, archivedAt);
  if (state.state === "retired") {
    return refused({ code: "key_retired", retiredAt: state.retiredAt, isProgramArchived });
  }
  const [needed] = key.scopes;
  if (!key.scopes.some((scope) => issued.scopes.includes(scope))) {
    return refused({ code: "insufficient_scope", needed });
  }
  if (issued.book === "test" && !isTest) return refused({ code: "test_key" });
  const keyRetiresAt = state.state === "retiring" ? state.retiresAt : undefined;
  return ok({ programId, keyId: issued.id, keyRetiresAt });
}
