import { countRefunds, type RefundCall } from "#domain/refund-count.ts";
import { isBehind, jsonOf, type Recount } from "./invariant.ts";

const rule = "refunds that count with another amount than was reported";

interface StoredRefund {
  readonly id: number;
  readonly refund_id: string | null;
  readonly asked: RefundCall["asked"];
  readonly told_cents: number | null;
  readonly charge_total_cents: number | null;
  readonly told_at: number | null;
  readonly counted_cents: number;
  readonly created_at: number;
}

const columns = [
  "id",
  "refund_id",
  "asked",
  "told_cents",
  "charge_total_cents",
  "told_at",
  "counted_cents",
  "created_at",
];

interface RefundedSale {
  readonly id: number;
  readonly amount_cents: number;
  readonly refunds: readonly StoredRefund[];
}

const callOf = (refund: StoredRefund): RefundCall => ({
  refundId: refund.refund_id ?? undefined,
  asked: refund.asked,
  cents: refund.told_cents ?? undefined,
  chargeTotalCents: refund.charge_total_cents ?? undefined,
  occurredAt: refund.told_at ?? undefined,
  receivedAt: refund.created_at,
});

export const refundRecount: Recount<RefundedSale> = {
  finds: [rule],

  page: (of, last) => `
    select json_object('id', s.id, 'amount_cents', s.amount_cents, 'refunds', json((
      select json_group_array(json(refund)) from (
        select ${jsonOf("r", columns)} as refund from refunds r where r.sale_id = s.id order by r.id))))
    from sales s where ${of("s")} and ${isBehind("s", last)} and exists (select 1 from refunds r where r.sale_id = s.id)
    order by s.id`,

  *check(page) {
    for (const { id: sale, amount_cents, refunds } of page) {
      const { parts } = countRefunds(amount_cents, refunds.map(callOf));
      for (const [i, { id: refund, counted_cents: counted }] of refunds.entries()) {
        if (parts[i] !== counted) yield { broken: rule, row: { refund, sale, counted, told: parts[i] } };
      }
    }
  },
};
