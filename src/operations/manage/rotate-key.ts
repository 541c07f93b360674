import { hashProgramKey, maskProgramKey, mintProgramKey, rotation } from "#domain/program-key.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertProgramKey, retireKey } from "#store/keys.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "./settings-change.ts";

export interface RotateKeyCall extends ChangeCall {
  readonly kind: "rotate-key";
  readonly graceHours: number | null;
  /** 32 random bytes, base64url. */
  readonly secret: string;
}

export interface KeyRotated {
  readonly apiToken: string;
  readonly apiTokenMasked: string;
  readonly previousRetiresAt: number;
}

const gather = ({ operationId }: RotateKeyCall) => ({ done: auditOfOperation({ operationId }) });

export const rotateKey: Operation<RotateKeyCall, ReturnType<typeof gather>, KeyRotated> = {
  kind: "rotate-key",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done }, context) {
    const program = context.settings.program(call.programId);
    if (!program) return refuse({ code: "not_found", what: "program" });
    const apiToken = mintProgramKey(program.id, Buffer.from(call.secret, "base64url"));
    const apiTokenMasked = maskProgramKey(program.id, apiToken.slice(-4));
    if (done?.after != null) {
      const { previousRetiresAt } = JSON.parse(done.after) as KeyRotated;
      return noChange(program.id, { apiToken, apiTokenMasked, previousRetiresAt });
    }
    if (isArchived(context.settings, program.id)) return refuse({ code: "program_archived" });

    const { retire, previousRetiresAt } = rotation(program.keys, call.graceHours, call.at);
    const key = {
      id: context.newId("programKeys"),
      programId: program.id,
      hash: hashProgramKey(apiToken),
      lastFour: apiToken.slice(-4),
      // The previous call's clock may have been ahead; the newest key must be the one created last.
      createdAt: program.keys.reduce((newest, { createdAt }) => Math.max(newest, createdAt), call.at),
      retiresAt: null,
      lastUsedAt: null,
    };

    const change = {
      programId: program.id,
      action: "key.rotated",
      subject: `key ${apiTokenMasked}`,
      before: null,
      after: { apiTokenMasked, previousRetiresAt },
    };
    const writes = [...retire.map((each) => retireKey(each)), insertProgramKey(key)];
    return settingsChange(call, change, { writes, answer: { apiToken, apiTokenMasked, previousRetiresAt } }, context);
  },
};
