import { isPlaceholderId } from "#domain/caller-id.ts";
import type { PartnerId } from "#domain/ids.ts";
import { type BalanceImport, importReference, openingBalance, type RowOutcome, refusedRow } from "#domain/import.ts";
import { notFound } from "#domain/result.ts";
import type { AdjustmentView } from "#store/adjustments.ts";
import { adjustmentsOfReferences, partnersOfCodes } from "#store/imports.ts";
import { payoutLock } from "../locks.ts";
import { adjustmentLock, adjustmentWrites } from "../manage/create-adjustment.ts";
import { acting, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import {
  answeredBefore,
  callEntry,
  doneBefore,
  type ImportCall,
  type Imported,
  operationOfRow,
} from "./import-call.ts";

export interface ImportBalancesCall extends ImportCall<BalanceImport> {
  readonly kind: "import-balances";
}

function gather(call: ImportBalancesCall) {
  const { programId, rows } = call;
  const codeKeys = JSON.stringify(rows.map(({ partnerCode }) => partnerCode.toLowerCase()));
  return {
    ...doneBefore(call),
    owners: partnersOfCodes({ programId, codeKeys }),
    recorded: adjustmentsOfReferences({ programId, codeKeys, references: JSON.stringify(rows.map(importReference)) }),
  };
}

interface Owner {
  readonly codeKey: string;
  readonly partnerId: PartnerId;
  readonly isErased: boolean;
}

const partnersByCode = (owners: readonly Owner[]): ReadonlyMap<string, Owner> =>
  new Map(owners.map((owner) => [owner.codeKey, owner]));

function adjustmentsOf(rows: readonly BalanceImport[], owners: readonly Owner[]): readonly string[] {
  const partnerOf = partnersByCode(owners);
  const locks = rows.flatMap((row) => {
    const owner = partnerOf.get(row.partnerCode.toLowerCase());
    return owner === undefined ? [] : [adjustmentLock(owner.partnerId, importReference(row))];
  });
  return [...new Set(locks)];
}

export const importBalances: Operation<ImportBalancesCall, ReturnType<typeof gather>, Imported> = {
  kind: "import-balances",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId, rows, isDryRun }, { owners }) => ({
    exclusive: isDryRun ? [] : adjustmentsOf(rows, owners),
    shared: rows.some(({ amountCents }) => amountCents < 0) ? [payoutLock(programId)] : [],
  }),

  decide(call, { entry, done, owners, recorded }, context) {
    const { programId, rows, isDryRun } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { outcomes, changes } = planBalances(rows, partnersByCode(owners), recorded, openingBalance(call.source));
    const planned = outcomes.map(({ sameAs: _, ...outcome }) => outcome);
    const answered = answeredBefore(call, planned, { entry, done });
    if (answered !== undefined) return noChange(programId, { outcomes: answered });
    if (isDryRun || changes.length === 0) return noChange(programId, { outcomes: planned });
    const by = {
      ...acting(call, context.settings),
      reason: openingBalance(call.source),
      partnerNote: openingBalance(call.source),
    };
    const made = changes.map(({ row: { line, amountCents, currency }, partnerId, reference }) => {
      const adjustment = {
        ...by,
        operationId: operationOfRow(call, line),
        partnerId,
        amountCents,
        currency,
        reference,
      };
      return { line, ...adjustmentWrites(adjustment, { program, context, at: call.at }) };
    });
    const idOf = new Map(made.map(({ line, adjustment }) => [line, adjustment.id]));
    const told = outcomes.map(({ sameAs, ...outcome }) => {
      const id = outcome.id ?? idOf.get(sameAs ?? outcome.line);
      return id === undefined ? outcome : { ...outcome, id };
    });
    const writes = [...made.flatMap((each) => each.writes), callEntry(call, "balances", told, context)];
    return { kind: "commit", programId, answer: { outcomes: told }, writes };
  },
};

interface BalanceChange {
  readonly row: BalanceImport;
  readonly partnerId: PartnerId;
  readonly reference: string;
}

interface KnownBalance extends Pick<BalanceImport, "amountCents" | "currency"> {
  readonly id?: number;
  readonly line?: number;
  readonly reason?: string | null;
}

/** The column in which the row differs from the balance imported before. */
function differenceOf(before: KnownBalance, row: BalanceImport, reason: string): "amount" | "reference" | undefined {
  if (before.amountCents !== row.amountCents || before.currency !== row.currency) return "amount";
  // The reason contains the name of the former program. It distinguishes balances from two programs that have the same
  // reference. The stored reason is null after an erasure.
  return (before.reason ?? reason) === reason ? undefined : "reference";
}

/** Plans the result of each row, in order. Writes nothing. */
function planBalances(
  rows: readonly BalanceImport[],
  partnerOf: ReadonlyMap<string, Owner>,
  recorded: readonly Pick<AdjustmentView, "id" | "partnerId" | "reference" | "amountCents" | "currency" | "reason">[],
  reason: string,
) {
  const changes: BalanceChange[] = [];
  const known = new Map<string, KnownBalance>(recorded.map((row) => [`${row.partnerId} ${row.reference}`, row]));
  const outcomes = rows.map((row): RowOutcome & { readonly sameAs?: number | undefined } => {
    const { line, amountCents } = row;
    const owner = partnerOf.get(row.partnerCode.toLowerCase());
    if (owner === undefined) return refusedRow(line, "unknown_partner", "partner_code");
    const { partnerId, isErased } = owner;
    if (amountCents === 0) return refusedRow(line, "zero_amount", "amount");
    const reference = importReference(row);
    const before = known.get(`${partnerId} ${reference}`);
    if (before !== undefined) {
      const of = { sameAs: before.line, ...(before.id !== undefined && { id: before.id }) };
      const difference = differenceOf(before, row, reason);
      return difference === undefined
        ? { line, result: "unchanged", ...of }
        : { ...refusedRow(line, "differs", difference), ...of };
    }
    if (isErased) return refusedRow(line, "partner_erased", "partner_code");
    if (isPlaceholderId(row.reference)) return refusedRow(line, "placeholder_id", "reference");
    known.set(`${partnerId} ${reference}`, { amountCents, currency: row.currency, line });
    changes.push({ row, partnerId, reference });
    return { line, result: "created" };
  });
  return { outcomes, changes };
}
