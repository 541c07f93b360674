import type { Policy } from "#domain/commission.ts";
import { type Json, parsed } from "./candidates.ts";
import { isMovingSale, isReplaced } from "./commissions.ts";
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
    readonly coupons: string | null;
    readonly subscription_interval: string | null;
    readonly occurred_at: number;
    readonly partner_code: string | null;
    readonly reason: string | null;
    readonly click_age_days: number | null;
    readonly window_days: number | null;
    readonly sent_click_id: string | null;
    readonly correction: number | null;
  };
  /**
   * `cents` is the (negative) amount of the entry at the earlier partner. `code` is that partner's code, if the
   * explanation contains it.
   */
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
  /**
   * The time of the customer's first sale, at this partner or elsewhere, including corrected sales. Set only if a
   * duration or a rule may depend on it.
   */
  readonly first_sold_at: number | null;
  /** 1 if another sale has the customer's `one_time` commission, so that this sale's amount is 0. */
  readonly is_one_time_used: number;
  readonly is_replaced: number;
  /** 1 if a coupon attributed the sale and the sale may still have to move with its customer. */
  readonly is_moving: number;
  /**
   * 1 if the sale is unattributed and was before a sale with a coupon that may have attributed the customer at that
   * time.
   */
  readonly is_before_coupon: number;
}

const commissionColumns = [
  "program_id",
  "is_test",
  "partner_id",
  "source",
  "status",
  "reason",
  "initial_cents",
  "amount_cents",
  "hold_until",
  "policy_id",
  "approved_at",
  "approved_by",
  "explanation",
  "created_at",
];
const saleColumns = [
  "id",
  "transaction_id",
  "amount_cents",
  "refunded_cents",
  "currency",
  "is_recurring",
  "occurred_at",
  "product_id",
  "items",
  "coupons",
  "subscription_interval",
  "partner_code",
  "reason",
  "click_age_days",
  "window_days",
  "sent_click_id",
  "correction",
];
const customerColumns = [
  "id",
  "partner_id",
  "source",
  "since",
  "click_id",
  "evidence",
  "model",
  "window_days",
  "window_until",
  "bound_at",
  "bound_by",
];

/** Checked per sale, because a list of all sales would be read again for each page. */
const isOneTimeUsed = `(c.initial_cents = 0 and exists (
  select 1 from refunds r where r.sale_id = c.sale_id and r.outcome_reason = 'one_time_used'))`;

const isBeforeCoupon = `iif(c.partner_id is null and s.sent_click_id is not null, exists (
  select 1 from sales o where o.customer_id = s.customer_id and o.coupons is not null and o.occurred_at > s.occurred_at), 0)`;

const firstSoldAt = `iif(c.reason = 'commission_duration_over' or exists (select 1 from commission_policies p where p.id = c.policy_id and p.rules is not null),
  (select min(min(o.occurred_at), coalesce(u.imported_first_sale_at, min(o.occurred_at))) from sales o where o.customer_id = s.customer_id and o.partner_id = c.partner_id), null)`;

export const commissionPage = (of: Scope, last: RecordedCommission | undefined): string => `
  select json_object('id', c.id, 'commission', ${jsonOf("c", commissionColumns)}, 'sale', ${jsonOf("s", saleColumns)},
    'customer', ${jsonOf("u", customerColumns)},
    'moved', json_object('cents', m.amount_cents, 'code', k.code), 'is_one_time_used', ${isOneTimeUsed}, 'first_sold_at', ${firstSoldAt},
    'is_replaced', ${isReplaced}, 'is_moving', iif(c.source = 'coupon', ${isMovingSale}, 0), 'is_before_coupon', ${isBeforeCoupon})
  from commissions c join sales s on s.id = c.sale_id left join customers u on u.id = s.customer_id
  left join ledger_entries m on m.commission_id = c.id and m.kind = 'moved' and m.amount_cents < 0
    and m.partner_id = coalesce(${movedFrom}, m.partner_id) and (m.partner_id is not c.partner_id or ${movedFrom} = c.partner_id)
  left join referral_links k on k.partner_id = ${movedFrom}
    and ${isLinkOf("k", field("c.explanation", "movedFrom.partnerCode"))}
  where ${of("c")} and ${isBehind("c", last)} order by c.id`;

export interface KnownPolicy extends Policy {
  readonly programId: number;
  readonly createdAt: number;
}

interface Owner {
  readonly programId: number;
  readonly partnerId: number | null;
  readonly groupId: number | null;
}
interface OfPartner {
  readonly programId: number;
  readonly partnerId: number;
}

export interface KnownMembership extends OfPartner {
  readonly groupId: number | null;
  readonly effectiveFrom: number;
}

const listed = (values: readonly (number | null)[]) =>
  [...new Set(values)].filter((value) => value !== null).join(", ");

/** Looks up each owner's policies by an index. */
const policiesOf = (owners: readonly Owner[]) => {
  const own = owners.filter(({ partnerId, groupId }) => partnerId === null && groupId === null);
  const programs = `p.program_id in (${listed(owners.map(({ programId }) => programId))})`;
  const conditions = [
    `p.partner_id is null and p.group_id is null and p.program_id in (${listed(own.map(({ programId }) => programId))})`,
    `${programs} and p.partner_id in (${listed(owners.map(({ partnerId }) => partnerId))})`,
    `${programs} and p.partner_id is null and p.group_id in (${listed(owners.map(({ groupId }) => groupId))})`,
  ];
  return `
    select ${policyJson("p", "programId", "createdAt")}
    from (${conditions.map((condition) => `select * from commission_policies p where ${condition}`).join(" union all ")}) p
    order by p.version`;
};

/**
 * The partners with their group at the time of the sale, if the decision certainly knew it, and with all later groups.
 */
const membershipsThen = (records: readonly RecordedCommission[]) => {
  const rows = records.flatMap((record) => {
    const of = partnerOf(record);
    return of === undefined ? [] : [[of.programId, of.partnerId, record.sale.occurred_at, surelyKnown(record)]];
  });
  return `
    select distinct json_object('programId', m.program_id, 'partnerId', m.partner_id, 'groupId', m.group_id,
      'effectiveFrom', m.effective_from)
    from json_each('${JSON.stringify(rows)}') r cross join group_memberships m
    where m.program_id = r.value ->> 0 and m.partner_id = r.value ->> 1 and m.effective_from <= r.value ->> 2
      and m.effective_from >= coalesce((
        select max(k.effective_from) from group_memberships k
        where k.program_id = r.value ->> 0 and k.partner_id = r.value ->> 1
          and k.effective_from <= r.value ->> 2 and k.effective_from < r.value ->> 3), 0)
    order by m.effective_from`;
};

const keyOf = ({ programId, partnerId, groupId }: Owner): string => `${programId} ${partnerId} ${groupId}`;
const partnerKey = ({ programId, partnerId }: OfPartner): string => `${programId} ${partnerId}`;

const partnerOf = ({ commission: { program_id, partner_id } }: RecordedCommission): OfPartner | undefined =>
  partner_id === null ? undefined : { programId: program_id, partnerId: partner_id };

/** A change of a policy or group within this time before a decision may or may not have applied to it. */
export const waitMs = 60_000;

/** The decision on the commission certainly knew settings from before this time. */
export const surelyKnown = ({ commission: { created_at, explanation } }: RecordedCommission): number =>
  Math.min(created_at, decidedAtOf(parsed(explanation), created_at)) - waitMs;

export const decidedAtOf = ({ decidedAt }: Json, createdAt: number): number => Number(decidedAt ?? createdAt);

/**
 * The policies that may apply to the commissions of a page. An owner's policies are read once for consecutive pages
 * that need them.
 */
export class PoliciesOfPage {
  #byOwner = new Map<string, readonly KnownPolicy[]>();
  #memberships = new Map<string, readonly KnownMembership[]>();

  async read(read: Read, records: readonly RecordedCommission[]): Promise<void> {
    const isOfPartner = records.some((record) => partnerOf(record) !== undefined);
    const found = isOfPartner ? ((await read(membershipsThen(records))) as KnownMembership[]) : [];
    this.#memberships = Map.groupBy(found, partnerKey);
    await this.#readPolicies(read, records);
  }

  async #readPolicies(read: Read, records: readonly RecordedCommission[]): Promise<void> {
    const owners = new Map(records.flatMap((record) => this.#ownersOf(record)).map((owner) => [keyOf(owner), owner]));
    const unread = [...owners].filter(([key]) => !this.#byOwner.has(key)).map(([, owner]) => owner);
    const policies = unread.length === 0 ? [] : ((await read(policiesOf(unread))) as KnownPolicy[]);
    const found = Map.groupBy(policies, keyOf);
    this.#byOwner = new Map([...owners.keys()].map((key) => [key, this.#byOwner.get(key) ?? found.get(key) ?? []]));
  }

  /** The group memberships of a commission's partner, in order of time. */
  membershipsOf(record: RecordedCommission): readonly KnownMembership[] {
    const partner = partnerOf(record);
    return (partner && this.#memberships.get(partnerKey(partner))) ?? [];
  }

  #ownersOf(record: RecordedCommission): Owner[] {
    const { program_id: programId, partner_id: partnerId } = record.commission;
    const own = { programId, partnerId: null, groupId: null };
    const groups = new Set(this.membershipsOf(record).flatMap(({ groupId }) => groupId ?? []));
    return partnerId === null
      ? [own]
      : [own, { ...own, partnerId }, ...[...groups].map((groupId) => ({ ...own, groupId }))];
  }

  /** The policies that may apply to a commission, in order of version. */
  of(record: RecordedCommission): readonly KnownPolicy[] {
    const [ofProgram = [], ...others] = this.#ownersOf(record).map((owner) => this.#byOwner.get(keyOf(owner)) ?? []);
    const further = others.flat();
    return further.length === 0 ? ofProgram : [...ofProgram, ...further].sort((a, b) => a.version - b.version);
  }
}

/**
 * Returns `customer instant` for customers with two or more calls that were decided in the same millisecond. An event
 * of that instant may have moved with its customer after it was recorded.
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
