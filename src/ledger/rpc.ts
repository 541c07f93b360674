import type { KeyCall } from "../operations/check-key.ts";
import type { Outcome } from "../operations/operation.ts";
import type { ClickAnswer, ClickCall } from "../operations/record-click.ts";
import type { LeadAnswer, LeadCall } from "../operations/record-lead.ts";
import type { RefundAnswer, RefundCall } from "../operations/record-refund.ts";
import type { SaleAnswer, SaleCall } from "../operations/record-sale.ts";

/**
 * What the Ledger object can be asked. A refusal comes back as a value. A call that throws had an unknown
 * outcome: the same call, with the same operation id, may be sent again and has its effect once.
 */
export interface LedgerRpc {
  recordClick(call: ClickCall): Promise<Outcome<ClickAnswer>>;
  recordLead(call: LeadCall): Promise<Outcome<LeadAnswer>>;
  recordSale(call: SaleCall): Promise<Outcome<SaleAnswer>>;
  recordRefund(call: RefundCall): Promise<Outcome<RefundAnswer>>;
  checkKey(call: KeyCall): Promise<Outcome<{ readonly programId: number }>>;
}

export type { KeyCall };
