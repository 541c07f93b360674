import type { KeyId } from "#domain/ids.ts";
import { keyState, maskProgramKey } from "#domain/program-key.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { lastFourOfKey, retireKey as writeRetirement } from "#store/keys.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, noChange, settingsChange } from "./settings-change.ts";

export interface RetireKeyCall extends ChangeCall {
  readonly kind: "retire-key";
  readonly keyId: KeyId;
}

const gather = ({ operationId, keyId }: RetireKeyCall) => ({
  done: auditOfOperation({ operationId }),
  known: lastFourOfKey({ id: keyId }),
});

/** Ends a key immediately, even the newest one. Calls with it are refused from now on. */
export const retireKey: Operation<RetireKeyCall, ReturnType<typeof gather>, undefined> = {
  kind: "retire-key",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, known }, context) {
    const { programId, keyId, at } = call;
    const key = context.settings.program(programId)?.keys.find(({ id }) => id === keyId);
    if (key === undefined || known === undefined) return refuse(notFound("key"));
    if (done !== undefined || keyState(key, at).state === "retired") return noChange(programId, undefined);
    const change = {
      programId,
      action: "key.ended",
      subject: `key ${maskProgramKey(programId, known.lastFour)}`,
      before: { keyId, retiresAt: key.retiresAt === null ? null : new Date(key.retiresAt).toISOString() },
      after: { keyId, retiresAt: new Date(at).toISOString() },
    };
    const writes = [writeRetirement({ id: keyId, retiresAt: at })];
    return settingsChange(call, change, { writes, answer: undefined }, context);
  },
};
