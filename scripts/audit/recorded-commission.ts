import type { Policy } from "#domain/commission.ts";
import { field, isBehind, isLinkOf, jsonOf, type Read, type Scope } from "./invariant.ts";
import { policyJson } from "./policy-columns.ts";
import { movedFrom } from "./refunds.ts";

export interface RecordedCommission {
  readonly id: number;
  readonly commission: {
    readonly program_id: number;
    readonly is_test: number;
    readonly partner_id: number | null;
    readonly source: string | null;
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
    readonly product_id: string | null;
    readonly items: string | null;
    readonly subscription_interval: string | null;
    readonly occurred_at: number;
    readonly partner_code: string | null;
    readonly reason: string | null;
    readonly click_age_days: number | null;
    readonly window_days: number | null;
    readonly sent_click_id: string | null;
  };
  /** What an entry took from the earlier partner (negative), and that partner's code, if it is the one explained. */
  readonly moved: { readonly cents: number | null; readonly code: string | null };
  readonly customer: {
    readonly id: number | null;
    readonly partner_id: number | null;
    readonly source: string | null;
    readonly since: number | null;
    readonly click_id: string | null;
    readonly evidence: string | null;
    readonly model: string | null;
    readonly window_days: number | null;
    readonly window_until: string | null;
    readonly bound_at: number | null;
    readonly bound_by: string | null;
  };
  /** Where a duration or a rule may depend on it: the customer's first sale, of its partner, a corrected one too, or elsewhere. */
  readonly first_sold_at: number | null;
  /** 1: the customer's one commission is another sale's, so this one is 0. */
  readonly is_one_time_used: number;
}

const commissionColumns = [
  ...["program_id", "is_test", "partner_id", "source", "status", "reason", "initial_cents", "amount_cents"],
  ...["hold_until", "policy_id", "approved_at", "approved_by", "explanation", "created_at"],
];
const saleColumns = [
  ...["id", "transaction_id", "amount_cents", "refunded_cents", "currency", "is_recurring", "occurred_at"],
  ...[
    "product_id",
    "items",
    "subscription_interval",
    "partner_code",
    "reason",
    "click_age_days",
    "window_days",
    "sent_click_id",
  ],
];
const customerColumns = [
  ...["id", "partner_id", "source", "since", "click_id", "evidence", "model"],
  ...["window_days", "window_until", "bound_at", "bound_by"],
];

/** By sale, since each page would read the list of all sales afresh. */
const isOneTimeUsed = `(c.initial_cents = 0 and exists (
  select 1 from refunds r where r.sale_id = c.sale_id and r.outcome_reason = 'one_time_used'))`;

const firstSoldAt = `iif(c.reason = 'commission_duration_over' or exists (select 1 from commission_policies p where p.id = c.policy_id and p.rules is not null),
  (select min(min(o.occurred_at), coalesce(u.imported_first_sale_at, min(o.occurred_at))) from sales o where o.customer_id = s.customer_id and o.partner_id = c.partner_id), null)`;

export const commissionPage = (of: Scope, last: RecordedCommission | undefined): string => `
  select json_object('id', c.id, 'commission', ${jsonOf("c", commissionColumns)}, 'sale', ${jsonOf("s", saleColumns)},
    'customer', ${jsonOf("u", customerColumns)},
    'moved', json_object('cents', m.amount_cents, 'code', k.code), 'is_one_time_used', ${isOneTimeUsed}, 'first_sold_at', ${firstSoldAt})
  from commissions c join sales s on s.id = c.sale_id left join customers u on u.id = s.customer_id
  left join ledger_entries m on m.commission_id = c.id and m.kind = 'moved' and m.partner_id is not c.partner_id
  left join referral_links k on k.partner_id = ${movedFrom}
    and ${isLinkOf("k", field("c.explanation", "movedFrom.partnerCode"))}
  where ${of("c")} and ${isBehind("c", last)} order by c.id`;

export interface KnownPolicy extends Policy {
  readonly programId: number;
  readonly createdAt: number;
}

const policiesOf = (owners: readonly Owner[]) => {
  const ofPartners = owners.filter(({ partnerId }) => partnerId !== null);
  const idsOf = (ids: readonly (number | null)[]) => [...new Set(ids)].join(", ");
  const conditions = [
    `p.partner_id is null and p.program_id in (${idsOf(owners.filter(({ partnerId }) => partnerId === null).map(({ programId }) => programId))})`,
    `p.program_id in (${idsOf(ofPartners.map(({ programId }) => programId))}) and p.partner_id in (${idsOf(ofPartners.map(({ partnerId }) => partnerId))})`,
  ];
  return `
    select ${policyJson("p", "programId", "createdAt")}
    from (${conditions.map((condition) => `select * from commission_policies p where ${condition}`).join(" union all ")}) p
    order by p.version`;
};

interface Owner {
  readonly programId: number;
  readonly partnerId: number | null;
}
const keyOf = ({ programId, partnerId }: Owner): string => `${programId} ${partnerId}`;
const ownersOf = ({ commission: { program_id: programId, partner_id: partnerId } }: RecordedCommission): Owner[] =>
  partnerId === null
    ? [{ programId, partnerId }]
    : [
        { programId, partnerId: null },
        { programId, partnerId },
      ];

/** Those that may apply to the commissions of a page. An owner's are read once for all pages in a row that need them. */
export class PoliciesOfPage {
  #byOwner = new Map<string, readonly KnownPolicy[]>();

  async read(read: Read, records: readonly RecordedCommission[]): Promise<void> {
    const owners = new Map(records.flatMap(ownersOf).map((owner) => [keyOf(owner), owner]));
    const unread = [...owners].filter(([key]) => !this.#byOwner.has(key)).map(([, owner]) => owner);
    const policies = unread.length === 0 ? [] : ((await read(policiesOf(unread))) as KnownPolicy[]);
    const found = Map.groupBy(policies, keyOf);
    this.#byOwner = new Map([...owners.keys()].map((key) => [key, this.#byOwner.get(key) ?? found.get(key) ?? []]));
  }

  /** By version. */
  of(record: RecordedCommission): readonly KnownPolicy[] {
    const [ofProgram = [], ofPartner = []] = ownersOf(record).map((owner) => this.#byOwner.get(keyOf(owner)));
    return ofPartner.length === 0 ? ofProgram : [...ofProgram, ...ofPartner].sort((a, b) => a.version - b.version);
  }
}

/**
 * `customer instant` of those whom two calls or more decided within one millisecond, so that an event of that instant may
 * have followed its customer after it was recorded.
 */
export async function decidedTwice(read: Read, records: readonly RecordedCommission[]): Promise<ReadonlySet<string>> {
  const customers = new Set(records.flatMap(({ customer }) => customer.id ?? []));
  if (customers.size === 0) return new Set();
  const of = (alias: string) => `${alias}.customer_id in (${[...customers].join(", ")})`;
  const found = await read(`
    select json_quote(customer || ' ' || at) from (
      select s.customer_id as customer, s.created_at as at from sales s where ${of("s")}
      union all select l.customer_id, l.created_at from leads l where ${of("l")}
      union all select l.customer_id, ${field("l.explanation", "decidedAt")} from leads l where ${of("l")}
    ) group by customer, at having count(*) > 1`);
  return new Set(found.map(String));
}
