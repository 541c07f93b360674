import type { PartnerId } from "#domain/ids.ts";
import { noChange } from "../manage/settings-change.ts";
import { type Locks, type Operation, refuse } from "../operation.ts";
import { namesOfCall } from "../privacy/renamed.ts";
import { decideNewSale, type MoreOfSale, recordSale } from "../track/record-sale.ts";
import { bookOf, type SaleCall } from "../track/sale.ts";

/** Describes the customer's first purchase as a sale that is reported now. */
export interface JudgeFirstSaleCall extends Omit<SaleCall, "kind"> {
  readonly kind: "judge-first-sale";
}

export interface FirstSaleJudged {
  /** The partner to whom the sale would be attributed. */
  readonly partner: { readonly id: PartnerId; readonly code: string } | undefined;
  /** True if the customer has a sale in this program, or had one in the program that they were imported from. */
  readonly hasBought: boolean;
  /** The reason why the sale would be unattributed or earn no commission. */
  readonly reason: string | undefined;
}

const saleOf = (call: JudgeFirstSaleCall): SaleCall => ({ ...call, kind: "sale" });

/** Decides the sale as `recordSale` does, but writes nothing. */
export const judgeFirstSale: Operation<
  JudgeFirstSaleCall,
  ReturnType<typeof recordSale.gather>,
  FirstSaleJudged,
  MoreOfSale
> = {
  kind: "judge-first-sale",
  lane: "money",
  needs: (call) => recordSale.needs(saleOf(call)),
  gather: (call, more) => recordSale.gather(saleOf(call), more),
  names: namesOfCall((call: JudgeFirstSaleCall) => bookOf(saleOf(call))),

  locks(call, found): Locks {
    const { exclusive, shared = [] } = recordSale.locks(saleOf(call), found);
    return { exclusive: [], shared: [...exclusive, ...shared] };
  },

  decide(call, found, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (call.placeholder !== undefined) return refuse({ code: "placeholder_id", field: call.placeholder });
    // A count of 0 returns the next id without reserving it.
    const asked = { ...context, newId: (table: Parameters<typeof context.newId>[0]) => context.newId(table, 0) };
    const decided = decideNewSale(saleOf(call), found, { program, context: asked, at: call.at });
    if (!("recorded" in decided)) return decided;
    const { customerBefore: customer, recorded } = decided;
    const { sale, commission } = recorded;
    return noChange(program.id, {
      partner:
        sale.partnerId === null || sale.partnerCode === null
          ? undefined
          : { id: sale.partnerId, code: sale.partnerCode },
      hasBought: customer != null && (customer.firstSaleAt !== null || customer.importedFirstSaleAt !== null),
      reason: sale.reason ?? commission.reason ?? undefined,
    });
  },
};
