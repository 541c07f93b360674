import { whyReserved } from "#domain/adjustment-reference.ts";
import { dayIn } from "#domain/calendar.ts";
import { isPlaceholderId } from "#domain/caller-id.ts";
import type { PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import {
  type AdjustmentRow,
  type AdjustmentView,
  adjustmentByReference,
  insertAdjustment,
} from "#store/adjustments.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type EntryRow, insertEntry } from "#store/commissions.ts";
import { balancesToClose } from "#store/erased-partners.ts";
import { partnerOfProgram } from "#store/partners.ts";
import type { Write } from "#store/statement.ts";
import { newEntry } from "../entry.ts";
import { payoutLock } from "../locks.ts";
import { type Deciding, type Gathered, type Operation, refuse, retryWith } from "../operation.ts";
import { noted } from "./noted.ts";
import { auditWrite, type ChangeCall, noChange } from "./settings-change.ts";

export interface CreateAdjustmentCall extends ChangeCall {
  readonly kind: "create-adjustment";
  readonly partnerId: PartnerId;
  /** Never 0. */
  readonly amountCents: number;
  readonly currency: string;
  readonly reason: string;
  readonly partnerNote: string | null;
  /** The reference as sent. It is stored trimmed, but earlier versions stored it untrimmed. */
  readonly reference: string;
}

export interface AdjustmentCreated {
  readonly adjustment: AdjustmentView;
  readonly isNew: boolean;
}

export const adjustmentLock = (partnerId: PartnerId, reference: string): string =>
  `adjustment ${partnerId} ${reference}`;

interface More {
  /** Also reads the balances of an erased partner, in each currency. */
  readonly balances: true;
}

const gather = (
  { operationId, programId, partnerId, reference }: CreateAdjustmentCall,
  { balances }: Partial<More>,
) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  recorded: adjustmentByReference({ programId, partnerId, reference: reference.trim(), sentReference: reference }),
  balances: balances && balancesToClose({ programId, partnerId }),
});
type Found = Gathered<ReturnType<typeof gather>>;

export const createAdjustment: Operation<CreateAdjustmentCall, ReturnType<typeof gather>, AdjustmentCreated, More> = {
  kind: "create-adjustment",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId, partnerId, reference, amountCents }, { balances }) => ({
    exclusive: [
      adjustmentLock(partnerId, reference.trim()),
      ...(balances === undefined ? [] : [`closing ${partnerId}`]),
    ],
    shared: amountCents < 0 ? [payoutLock(programId)] : [],
  }),

  decide(call, { done, partner, recorded, balances }, context) {
    const { programId, reason, partnerNote } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    if (partner === undefined) return refuse(notFound("partner"));
    if (recorded !== undefined) {
      const differences = (["amountCents", "currency", "reason", "partnerNote"] as const).filter(
        (name) => recorded[name] !== call[name],
      );
      if (differences.length > 0) return refuse({ code: "adjustment_conflict", differences });
      return noChange(programId, { adjustment: recorded, isNew: done !== undefined });
    }
    const reference = call.reference.trim();
    if (isPlaceholderId(reference)) return refuse({ code: "placeholder_id", field: "reference" });
    const message = whyReserved(reference);
    if (message !== undefined) return refuse({ code: "invalid_input", errors: [{ path: ["reference"], message }] });

    if (partner.erasureId !== null) {
      if (balances === undefined) return retryWith({ balances: true });
      if (!settles(call, balances)) return refuse({ code: "partner_erased" });
    }

    const { adjustment, writes } = adjustmentWrites({ ...call, reference }, { program, context, at: call.at });
    const view = { ...adjustment, reason, partnerNote };
    return { kind: "commit", programId, answer: { adjustment: view, isNew: true }, writes };
  },
};

/** True if the adjustment brings the balance closer to 0 without changing its sign. */
function settles({ currency, amountCents }: CreateAdjustmentCall, balances: NonNullable<Found["balances"]>): boolean {
  const open = balances.find((each) => each.currency === currency)?.payableCents ?? 0n;
  const left = open + BigInt(amountCents);
  return open > 0n ? amountCents < 0 && left >= 0n : amountCents > 0 && left <= 0n;
}

/** Writes the adjustment, its ledger entry and its audit entry. */
export function adjustmentWrites(
  call: Omit<CreateAdjustmentCall, "kind">,
  { program, context, at }: Deciding,
): { readonly adjustment: AdjustmentRow; readonly writes: readonly Write[] } {
  const { programId, partnerId, amountCents, currency, reason, partnerNote, reference } = call;
  const subject = `partner ${partnerId}`;
  const texts = noted({ programId, subject }, { reason, partnerNote }, context);
  const adjustment: AdjustmentRow = {
    id: context.newId("adjustments"),
    programId,
    partnerId,
    amountCents,
    currency,
    reference,
    reasonId: texts.named.reason.note,
    partnerNoteId: texts.named.partnerNote?.note ?? null,
    createdBy: call.actorId,
    createdAt: at,
  };
  const change = {
    programId,
    action: "adjustment.created",
    subject,
    before: null,
    after: { adjustmentId: adjustment.id, amountCents, currency, reference, ...texts.named },
  };
  const entry = adjustedEntry(adjustment, { program, context, at });
  const writes = [...texts.writes, insertAdjustment(adjustment), insertEntry(entry), auditWrite(call, change, context)];
  return { adjustment, writes };
}

const adjustedEntry = (
  { id, programId, partnerId, amountCents, currency }: AdjustmentRow,
  { program, context, at }: Deciding,
): EntryRow =>
  newEntry(
    {
      programId,
      isTest: false,
      partnerId,
      amountCents,
      currency,
      kind: "adjusted",
      occurredAt: at,
      day: dayIn(program.timezone, at),
      adjustmentId: id,
    },
    context,
  );
