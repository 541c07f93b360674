import { caps } from "#domain/caps.ts";
import type { KeyId } from "#domain/ids.ts";
import { countLiveKeys, type KeyGrant } from "#domain/program-key.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertProgramKey } from "#store/keys.ts";
import { type Operation, refuse } from "../operation.ts";
import { type NewKey, newKey, rowOfKey } from "./new-key.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "./settings-change.ts";

export interface CreateKeyCall extends ChangeCall {
  readonly kind: "create-key";
  readonly grant: KeyGrant;
  /** 32 random bytes in base64url. */
  readonly secret: string;
}

const gather = ({ operationId }: CreateKeyCall) => ({ done: auditOfOperation({ operationId }) });

export const createKey: Operation<CreateKeyCall, ReturnType<typeof gather>, NewKey> = {
  kind: "create-key",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done }, context) {
    const { programId, grant, at } = call;
    if (done?.after != null) {
      const { keyId } = JSON.parse(done.after) as { readonly keyId: KeyId };
      return noChange(programId, newKey({ ...call, id: keyId }, grant));
    }
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (countLiveKeys(program.keys, at) >= caps.keys.max) return refuse({ code: "keys_full" });

    const key = newKey({ ...call, id: context.newId("programKeys") }, grant);
    const { name, scopes, book } = grant;
    const change = {
      programId,
      action: "key.created",
      subject: `key ${key.apiTokenMasked}`,
      before: null,
      after: { keyId: key.id, name, scopes: scopes.join(" "), book },
    };
    const writes = [insertProgramKey(rowOfKey(key, { programId, originId: null, createdAt: at }))];
    return settingsChange(call, change, { writes, answer: key }, context);
  },
};
