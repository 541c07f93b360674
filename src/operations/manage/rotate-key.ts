import { caps } from "#domain/caps.ts";
import type { KeyId } from "#domain/ids.ts";
import { countLiveKeys, originOf, rotation } from "#domain/program-key.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { firstKeyOf, insertProgramKey, retireKey } from "#store/keys.ts";
import { type Operation, refuse } from "../operation.ts";
import { type NewKey, newKey, rowOfKey } from "./new-key.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "./settings-change.ts";

export interface RotateKeyCall extends ChangeCall {
  readonly kind: "rotate-key";
  /** Null for the program's first key, or the newest key that has replaced it. */
  readonly keyId: KeyId | null;
  readonly graceHours: number | null;
  /** 32 random bytes in base64url. */
  readonly secret: string;
}

export interface KeyRotated extends NewKey {
  readonly previousRetiresAt: number;
}

const gather = ({ operationId, programId }: RotateKeyCall) => ({
  done: auditOfOperation({ operationId }),
  first: firstKeyOf({ programId }),
});

/** Creates a key with the same scopes. The new key works even if the rotated key has ended. */
export const rotateKey: Operation<RotateKeyCall, ReturnType<typeof gather>, KeyRotated> = {
  kind: "rotate-key",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, first }, context) {
    const { programId, keyId, at } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    const named = keyId === null ? first && { ...first, originId: null } : program.keys.find(({ id }) => id === keyId);
    if (named === undefined) return refuse(notFound("key"));
    if (done?.after != null) {
      const after = JSON.parse(done.after) as { readonly keyId: KeyId; readonly previousRetiresAt: number };
      const key = newKey({ ...call, id: after.keyId }, named);
      return noChange(programId, { ...key, previousRetiresAt: after.previousRetiresAt });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });

    const originId = originOf(named);
    const rotated = program.keys.filter((key) => originOf(key) === originId);
    if (countLiveKeys(rotated, at) === 0 && countLiveKeys(program.keys, at) >= caps.keys.max)
      return refuse({ code: "keys_full" });
    const { retire, previousRetiresAt } = rotation(rotated, call.graceHours, at);
    const key = newKey({ ...call, id: context.newId("programKeys") }, named);
    // The previous call may have come from a machine whose clock was ahead. The key created last must still be the
    // newest.
    const createdAt = program.keys.reduce((newest, each) => Math.max(newest, each.createdAt), at);

    const { apiTokenMasked } = key;
    const change = {
      programId,
      action: "key.rotated",
      subject: `key ${apiTokenMasked}`,
      before: null,
      after: { keyId: key.id, originId, apiTokenMasked, previousRetiresAt },
    };
    const writes = [
      ...retire.map((each) => retireKey(each)),
      insertProgramKey(rowOfKey(key, { programId, originId, createdAt })),
    ];
    return settingsChange(call, change, { writes, answer: { ...key, previousRetiresAt } }, context);
  },
};
