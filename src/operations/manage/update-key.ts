import type { KeyId } from "#domain/ids.ts";
import {
  type KeyGrant,
  maskProgramKey,
  noSettleOfFirst,
  notInTest,
  orderedScopes,
  originOf,
  scopeNotInTest,
} from "#domain/program-key.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { firstKeyOf, lastFourOfKey, updateGrant } from "#store/keys.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, diff, isArchived, noChange, type Patch, settingsChange } from "./settings-change.ts";

export interface UpdateKeyCall extends ChangeCall {
  readonly kind: "update-key";
  readonly keyId: KeyId;
  readonly changes: Patch<Pick<KeyGrant, "name" | "scopes">>;
}

const gather = ({ operationId, programId, keyId }: UpdateKeyCall) => ({
  done: auditOfOperation({ operationId }),
  first: firstKeyOf({ programId }),
  known: lastFourOfKey({ id: keyId }),
});

/** Updates the key together with the keys it replaced and those that replaced it. Members see them as one key. */
export const updateKey: Operation<UpdateKeyCall, ReturnType<typeof gather>, undefined> = {
  kind: "update-key",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, first, known }, context) {
    const { programId, keyId } = call;
    const key = context.settings.program(programId)?.keys.find(({ id }) => id === keyId);
    if (key === undefined || known === undefined) return refuse(notFound("key"));
    if (done !== undefined) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const scopes = orderedScopes(call.changes.scopes ?? key.scopes);
    const barred = scopeNotInTest({ scopes, book: key.book });
    const isFirst = originOf(key) === first?.id;
    const message = barred ? notInTest(barred) : isFirst && scopes.includes("settle") ? noSettleOfFirst : undefined;
    if (message !== undefined) return refuse({ code: "invalid_input", errors: [{ path: ["scopes"], message }] });
    const changes = diff(
      { name: key.name, scopes: key.scopes.join(" ") },
      { name: call.changes.name, scopes: scopes.join(" ") },
    );
    if (changes === undefined) return noChange(programId, undefined);
    const change = {
      programId,
      action: "key.updated",
      subject: `key ${maskProgramKey(programId, known.lastFour)}`,
      before: { keyId, ...changes.before },
      after: { keyId, ...changes.after },
    };
    const writes = [updateGrant({ programId, originId: originOf(key), name: changes.row.name, scopes })];
    return settingsChange(call, change, { writes, answer: undefined }, context);
  },
};
