import { caps } from "#domain/caps.ts";
import type { ProgramId } from "#domain/ids.ts";
import { firstKeyGrant, mintProgramKey } from "#domain/program-key.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertProgramKey } from "#store/keys.ts";
import { activeMembership, insertProgramOfMember } from "#store/new-programs.ts";
import { insertWorkspaceStub, programCount } from "#store/places.ts";
import { insertProgram, type ProgramRow } from "#store/programs.ts";
import { type Call, type Operation, refuse } from "../operation.ts";
import { newKey, rowOfKey } from "./new-key.ts";
import { noChange, settingsChange } from "./settings-change.ts";

export interface CreateProgramCall extends Call {
  readonly kind: "create-program";
  readonly actorId: string;
  /**
   * 32 random bytes of the first key in base64url. The caller generates them, so that a repeated call creates the same
   * key.
   */
  readonly secret: string;
  readonly program: Pick<ProgramRow, "workspaceId" | "name" | "websiteUrl" | "currency" | "timezone">;
  /** Set if the home database has assigned the program to this shard. */
  readonly programId?: ProgramId;
}

export interface ProgramCreated {
  readonly program: ProgramRow;
  readonly apiToken: string;
}

const defaults = {
  leadAuth: "browser_allowed",
  attributionModel: "last_click",
  attributionWindowDays: 60,
  windowUntil: "lead",
  cookieWindowDays: null,
  payoutMode: "manual",
  minimumPayoutCents: null,
  payoutTerms: null,
  payoutApproval: "one_person",
  requireDetails: false,
  partnersSeeRevenue: false,
  payerName: null,
  payerIban: null,
  payerBic: null,
  issuerName: null,
  issuerAddress: null,
  issuerTaxId: null,
  selfReferral: "hold",
  duplicateSource: "hold",
  blockedSource: "hold",
  manySources: "flag",
  blockedHosts: "[]",
  reviewDays: null,
  status: "active",
  archivedAt: null,
  place: "here",
  leftTo: null,
  leaveBy: null,
  moveId: null,
} as const;

const gather = ({ operationId, programId, actorId, program: { workspaceId } }: CreateProgramCall) => ({
  done: auditOfOperation({ operationId }),
  programs: programCount({ workspaceId }),
  creator: programId === undefined ? activeMembership({ workspaceId, actorId }) : undefined,
});

export const createProgram: Operation<CreateProgramCall, ReturnType<typeof gather>, ProgramCreated> = {
  kind: "create-program",
  lane: "control",
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, programs, creator }, context) {
    const id = done?.programId ?? call.programId ?? context.newId("programs");
    const program: ProgramRow = { id, ...call.program, ...defaults, createdAt: call.at };
    const apiToken = mintProgramKey(id, Buffer.from(call.secret, "base64url"));
    if (done !== undefined) return noChange(id, { program, apiToken });
    const isOfHome = call.programId === undefined;
    if (isOfHome && creator === undefined) return refuse({ code: "not_a_member" });
    if (programs >= caps.programs.max) return refuse({ code: "cap_reached", cap: "programs" });

    const key = newKey({ id: context.newId("programKeys"), programId: id, secret: call.secret }, firstKeyGrant);

    const change = {
      programId: id,
      action: "program.created",
      subject: `program ${id}`,
      before: null,
      after: call.program,
    };
    const writes = [
      ...(isOfHome
        ? [insertProgramOfMember({ ...program, actorId: call.actorId })]
        : [insertWorkspaceStub({ id: program.workspaceId, at: call.at }), insertProgram(program)]),
      insertProgramKey(rowOfKey(key, { programId: id, originId: null, createdAt: call.at })),
    ];
    return settingsChange(call, change, { writes, answer: { program, apiToken } }, context);
  },
};
