import type { Policy } from "../../src/domain/commission.ts";
import { isBehind, jsonOf, type Read, type Scope } from "./invariant.ts";
import { isOneTimeUsed } from "./refunds.ts";

export interface RecordedCommission {
  readonly id: number;
  readonly commission: {
    readonly program_id: number;
    readonly is_test: number;
    readonly partner_id: number | null;
    readonly status: string;
    readonly reason: string | null;
    readonly initial_cents: number;
    readonly amount_cents: number;
    readonly hold_until: number | null;
    readonly policy_id: number | null;
    readonly approved_at: number | null;
    readonly approved_by: string | null;
    readonly explanation: string;
    readonly created_at: number;
  };
  readonly sale: {
    readonly id: number;
    readonly transaction_id: string;
    readonly amount_cents: number;
    readonly refunded_cents: number;
    readonly currency: string;
    readonly is_recurring: number;
    readonly occurred_at: number;
    readonly partner_code: string | null;
    readonly reason: string | null;
    readonly click_age_days: number | null;
    readonly window_days: number | null;
  };
  readonly customer: {
    readonly id: number | null;
    readonly partner_id: number | null;
    readonly click_id: string | null;
    readonly evidence: string | null;
    readonly model: string | null;
    readonly window_days: number | null;
    readonly window_until: string | null;
    readonly bound_at: number | null;
    readonly bound_by: string | null;
    readonly first_attributed_sale_at: number | null;
  };
  /** 1: the customer's one commission is another sale's, so this one is 0. */
  readonly is_one_time_used: number;
}

const commissionColumns = [
  ...["program_id", "is_test", "partner_id", "status", "reason", "initial_cents", "amount_cents"],
  ...["hold_until", "policy_id", "approved_at", "approved_by", "explanation", "created_at"],
];
const saleColumns = [
  ...["id", "transaction_id", "amount_cents", "refunded_cents", "currency", "is_recurring", "occurred_at"],
  ...["partner_code", "reason", "click_age_days", "window_days"],
];
const customerColumns = [
  ...["id", "partner_id", "click_id", "evidence", "model", "window_days", "window_until", "bound_at", "bound_by"],
  "first_attributed_sale_at",
];

export const commissionPage = (of: Scope, last: RecordedCommission | undefined): string => `
  select json_object('id', c.id, 'commission', ${jsonOf("c", commissionColumns)}, 'sale', ${jsonOf("s", saleColumns)},
    'customer', ${jsonOf("u", customerColumns)}, 'is_one_time_used', ${isOneTimeUsed})
  from commissions c join sales s on s.id = c.sale_id left join customers u on u.id = s.customer_id
  where ${of("c")} and ${isBehind("c", last)} order by c.id`;

export interface KnownPolicy extends Policy {
  readonly programId: number;
  readonly createdAt: number;
}

const policiesOf = (programIds: Iterable<number>, partnerIds: Iterable<number>) => `
  select json_object('id', p.id, 'version', p.version, 'partnerId', p.partner_id, 'type', p.type, 'rateBps', p.rate_bps,
    'amountCents', p.amount_cents, 'currency', p.currency, 'scope', p.scope, 'durationMonths', p.duration_months,
    'holdDays', p.hold_days, 'minSaleCents', p.min_sale_cents, 'maxCommissionCents', p.max_commission_cents,
    'effectiveFrom', p.effective_from, 'programId', p.program_id, 'createdAt', p.created_at)
  from commission_policies p where p.program_id in (${[...programIds].join(", ")})
    and (p.partner_id is null or p.partner_id in (${[...partnerIds].join(", ")})) order by p.version`;

export async function policiesByProgram(read: Read, records: readonly RecordedCommission[]) {
  const programIds = new Set(records.map(({ commission }) => commission.program_id));
  const partnerIds = new Set(records.flatMap(({ commission }) => commission.partner_id ?? []));
  const policies = (await read(policiesOf(programIds, partnerIds))) as KnownPolicy[];
  return Map.groupBy(policies, ({ programId }) => programId);
}
