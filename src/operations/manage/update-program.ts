import { missingForOpen } from "#domain/open-page.ts";
import { last4Of } from "#domain/payee-account.ts";
import { type ProgramStatus, programStatus } from "#domain/program-status.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { joinPageOf } from "#store/join-pages.ts";
import { unconfirmedPayouts, unsettledPayouts } from "#store/payouts.ts";
import type { PlaceColumns } from "#store/program-place.ts";
import { type ProgramRow, programById, updateProgram as write } from "#store/programs.ts";
import { accessLock } from "../locks.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, diff, noChange, type Patch, settingsChange } from "./settings-change.ts";

type Settings = Omit<ProgramRow, "id" | "workspaceId" | "createdAt" | "archivedAt" | "status" | keyof PlaceColumns> & {
  readonly status: ProgramStatus;
};

export interface UpdateProgramCall extends ChangeCall {
  readonly kind: "update-program";
  readonly isOwner: boolean;
  readonly changes: Patch<Settings>;
}

const gather = ({ operationId, programId }: UpdateProgramCall) => ({
  done: auditOfOperation({ operationId }),
  program: programById({ id: programId }),
  unconfirmed: unconfirmedPayouts({ programId }),
  unsettled: unsettledPayouts({ programId }),
  page: joinPageOf({ programId }),
});

export const updateProgram: Operation<UpdateProgramCall, ReturnType<typeof gather>, undefined> = {
  kind: "update-program",
  lane: "control",
  isExclusive: true,
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [], shared: [accessLock(programId)] }),

  decide(call, { done, program, unconfirmed, unsettled, page }, context) {
    if (program === undefined) return refuse(notFound("program"));
    if (done !== undefined) return noChange(call.programId, undefined);
    const wasArchived = program.archivedAt !== null;
    if (isOwnerOnly(program, call.changes) && !call.isOwner) return refuse({ code: "role_too_low", needed: "owner" });
    const changes = diff({ ...program, status: programStatus(program) }, call.changes);
    if (changes === undefined) return noChange(call.programId, undefined);

    const { row, before, after } = changes;
    const needsTwo = before.payoutApproval === "two_people";
    if (needsTwo && unconfirmed > 0) return refuse({ code: "payout_unconfirmed" });
    const needs = page?.mode === "open" ? missingForOpen(row) : [];
    if (needs.length > 0) return refuse({ code: "join_page_open", needs });
    const { status } = row;
    const isArchived = status === "archived";
    const barred = isArchived ? whyNotArchived({ wasArchived, unsettled }) : undefined;
    if (barred !== undefined) return refuse(barred);
    const action = isArchived ? "program.archived" : wasArchived ? "program.restored" : "program.updated";
    const archived = isArchived ? { status: program.status, archivedAt: call.at } : { status, archivedAt: null };
    const audited = { before: inTrail(before), after: inTrail(after) };
    const change = { programId: program.id, action, subject: `program ${program.id}`, ...audited };
    return settingsChange(call, change, { writes: [write({ ...row, ...archived })], answer: undefined }, context);
  },
};

function whyNotArchived({
  wasArchived,
  unsettled,
}: {
  readonly wasArchived: boolean;
  readonly unsettled: number;
}): Refusal | undefined {
  if (wasArchived) return { code: "program_archived" };
  // The keys of an archived program are retired, so the program's system could no longer report which lines it has
  // paid.
  return unsettled > 0 ? { code: "payout_unsettled" } : undefined;
}

/** The audit entry contains only the last characters of an IBAN or a tax id, which are enough to recognize it. */
const inTrail = ({ payerIban, issuerTaxId, ...changed }: Partial<Settings>): Partial<Settings> => ({
  ...changed,
  ...(payerIban !== undefined && { payerIban: payerIban && last4Of(payerIban) }),
  ...(issuerTaxId !== undefined && { issuerTaxId: issuerTaxId && last4Of(issuerTaxId) }),
});

const ownersAlone = [
  "payoutApproval",
  "payerName",
  "payerIban",
  "payerBic",
  "issuerName",
  "issuerAddress",
  "issuerTaxId",
] as const;

const isOwnerOnly = (program: ProgramRow, { status, ...changes }: UpdateProgramCall["changes"]): boolean =>
  status === "archived" ||
  (program.archivedAt !== null && status !== undefined) ||
  ownersAlone.some((name) => changes[name] !== undefined && changes[name] !== program[name]);
