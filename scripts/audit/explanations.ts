import { isDeepStrictEqual } from "node:util";
import { readStoredClickId } from "../../src/domain/click-id.ts";
import type { Policy } from "../../src/domain/commission.ts";
import { earnedBy } from "./amounts.ts";
import type { RecordedCommission } from "./recorded-commission.ts";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

export function explanationFaults(
  explanation: Json,
  record: RecordedCommission,
  policy: Policy | undefined,
): readonly string[] {
  const { commission, sale } = record;
  const isAttributed = commission.partner_id !== null;
  const expected: Json = {
    sale: {
      transactionId: sale.transaction_id,
      amountCents: sale.amount_cents,
      currency: sale.currency,
      occurredAt: sale.occurred_at,
    },
    partner: isAttributed ? { id: commission.partner_id, code: sale.partner_code } : null,
    clickAgeDays: sale.click_age_days,
    windowDays: sale.window_days,
    policy: policy ?? null,
    ...(commission.status === "void" ? { decision: "void", reason: commission.reason } : earnedFields(record, policy)),
  };
  const unlike = Object.keys(expected).filter((field) => !isDeepStrictEqual(explanation[field], expected[field]));
  return [...unlike, ...evidenceFaults(explanation, record), ...decisionFaults(explanation, record)];
}

function earnedFields({ commission, sale }: RecordedCommission, policy: Policy | undefined): Json {
  const earned = policy && earnedBy(policy, sale.amount_cents);
  return {
    decision: "earned",
    baseCents: sale.amount_cents,
    rounding: "half_up",
    holdUntil: commission.hold_until,
    uncappedCents: earned?.uncappedCents,
    capped: earned && earned.earnedCents < earned.uncappedCents,
    amountCents: earned?.earnedCents,
  };
}

const addedLater = ["windowUntil", "bound", "considered"];

const isMissing = (explanation: Json, field: string): boolean =>
  explanation[field] === undefined && !addedLater.includes(field);

function evidenceFaults(explanation: Json, record: RecordedCommission): readonly string[] {
  const { commission } = record;
  if (commission.partner_id === null) return unattributedFaults(explanation, record);
  const { click, considered, evidence, bound } = explanation;
  return [
    ...frozenFaults(explanation, record).map((field) => `${field}, which the customer has otherwise`),
    ...(isObject(click) && isOfBook(click, commission) ? [] : ["click"]),
    ...(evidence === "key" || evidence === "browser" ? [] : ["evidence"]),
    ...(explanation.model === "last_click" || explanation.model === "first_click" ? [] : ["model"]),
    ...(bound === undefined || (isObject(bound) && (bound.by === "lead" || bound.by === "sale")) ? [] : ["bound"]),
    ...((considered ?? null) === null ? [] : ["considered"]),
  ];
}

function unattributedFaults(explanation: Json, { commission }: RecordedCommission): readonly string[] {
  const { considered } = explanation;
  const unlike = ["click", "evidence", "model", "windowUntil", "bound"].filter(
    (field) => isMissing(explanation, field) || (explanation[field] ?? null) !== null,
  );
  const isOther = isObject(considered) && isObject(considered.click) && !isOfBook(considered.click, commission);
  return isOther ? [...unlike, "considered"] : unlike;
}

/** Only while the customer is still bound by the same click and evidence. */
function frozenFaults(explanation: Json, { commission, customer }: RecordedCommission): readonly string[] {
  const { click, evidence } = explanation;
  const isBinding = evidence === customer.evidence && isObject(click) && click.id === customer.click_id;
  const isFrozen = isBinding && customer.partner_id === commission.partner_id && customer.window_until !== null;
  const frozen: Json = isFrozen
    ? {
        model: customer.model,
        windowDays: customer.window_days,
        windowUntil: customer.window_until,
        bound: { by: customer.bound_by, at: customer.bound_at },
      }
    : {};
  return Object.keys(frozen).filter(
    (field) =>
      (explanation[field] !== undefined || isMissing(explanation, field)) &&
      !isDeepStrictEqual(explanation[field], frozen[field]),
  );
}

function isOfBook({ id, at }: Json, { program_id, is_test }: RecordedCommission["commission"]): boolean {
  const token = readStoredClickId(String(id));
  return token?.programId === program_id && token.isTest === (is_test === 1) && token.at === at;
}

function decisionFaults({ decidedAt }: Json, { commission }: RecordedCommission): readonly string[] {
  if (typeof decidedAt !== "number") return ["decidedAt"];
  const { approved_by, approved_at, hold_until } = commission;
  if (approved_by !== "hold" || approved_at === null || hold_until === null) return [];
  return approved_at < decidedAt ? ["decidedAt, which is after its approval"] : [];
}
