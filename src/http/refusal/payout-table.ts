import type { RefusalCode, RestoredSummary } from "#domain/refusal.ts";
import { timestamp, timestampOrNull } from "../schema/timestamp.ts";
import { leftOutMessage } from "./shapes.ts";
import { differencesOf, type Entries, ownFields } from "./table.ts";

export function restoredDetails(restored: RestoredSummary) {
  const { restoredAt, backupAt, payoutId, finalizedAt, paidAt, reference, currency, totalCents } = restored;
  const last = { id: payoutId, reference, currency, totalCents };
  return {
    code: "restored",
    restoredAt: timestamp(restoredAt),
    backupAt: timestampOrNull(backupAt),
    lastPayout:
      payoutId === null
        ? null
        : { ...last, finalizedAt: timestampOrNull(finalizedAt), paidAt: timestampOrNull(paidAt) },
  };
}

export const ofPayouts = {
  draft_exists: {
    status: 409,
    message: "The program already has a draft payout in this currency. Finalize or cancel it first.",
    details: ({ payoutId, reference }) => ({ payoutId, reference }),
  },
  payout_conflict: {
    status: 409,
    message: "Duplicate reference. A payout with it has already been created differently.",
    details: differencesOf,
  },
  total_differs: {
    status: 409,
    message: "The payout's total differs from expectedTotalCents",
    details: ({ code, changes }) => ({ code, changes }),
  },
  all_left_out: {
    status: 409,
    message: ({ reasons }) => leftOutMessage(reasons),
    details: ({ code, changes }) => ({ code, changes }),
  },
  same_person: {
    status: 403,
    message: "The payout must be confirmed by a different person than the one who finalized it",
  },
  restored: {
    status: 409,
    message:
      "The database was restored from a backup, so payouts made after the backup are missing. Enter them first, with settledBy person, then send restoreAcknowledged.",
    details: ({ restored }) => restoredDetails(restored),
  },
  nothing_payable: { status: 409, message: "Nothing is payable", details: ownFields },
  reference_canceled: { status: 409, message: "The payout with this reference was canceled", details: ownFields },
  no_payer: { status: 409, message: "Set the bank account that you pay from first.", details: ownFields },
  nothing_for_format: { status: 409, message: "The payout has no lines for this file", details: ownFields },
  payout_not_final: { status: 409, message: "Finalize the payout first.", details: ownFields },
  payout_not_paid: { status: 409, message: "Only lines of a paid payout can fail", details: ownFields },
  settled_by_api: {
    status: 409,
    message: "The payout's lines are settled one by one, by your own system with an API key",
    details: ownFields,
  },
  settled_by_person: {
    status: 409,
    message: "This payout's lines can't be settled one by one: a member marks the whole payout as paid",
    details: ownFields,
  },
  not_due: { status: 409, message: "Another person has to confirm the payout first", details: ownFields },
  nothing_due: { status: 409, message: "Every line of the payout is settled or given back", details: ownFields },
  payout_closed: {
    status: 409,
    message: ({ status, action }) => `A ${status} payout can't be ${action}`,
    details: ownFields,
  },
  payout_changed: {
    status: 409,
    message: ({ status, expectedStatus }) => `The payout is ${status} now, not ${expectedStatus}`,
    details: ownFields,
  },
  payout_unconfirmed: {
    status: 409,
    message: "A payout is final but not confirmed. Confirm or cancel it before you let one person confirm payouts.",
    details: ownFields,
  },
  payout_unsettled: {
    status: 409,
    message:
      "A payout that is settled by API has unsettled lines. Settle or cancel them before you archive the program.",
    details: ownFields,
  },
} satisfies Partial<Entries<RefusalCode>>;
