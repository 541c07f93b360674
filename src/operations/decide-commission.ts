import { auditOfOperation, commissionOfProgram, releaseCommission } from "../store/manage.ts";
import { insertEntry, setCommissionStatus } from "../store/sales.ts";
import type { Write } from "../store/statement.ts";
import { type ChangeCall, changed, unchanged } from "./change.ts";
import { entryOf } from "./credit-sale.ts";
import { type Operation, refuse } from "./operation.ts";

export interface DecideCommissionCall extends ChangeCall {
  readonly kind: "decide-commission";
  readonly commissionId: number;
  readonly decision: "approved" | "rejected";
  /** Of a rejection. */
  readonly reason: string | undefined;
}

const gather = ({ operationId, programId, commissionId }: DecideCommissionCall) => ({
  done: auditOfOperation({ operationId }),
  commission: commissionOfProgram({ programId, id: commissionId }),
});

/** Ends a hold, whatever its evidence; or takes a commission back that was not yet paid, by an entry of minus its amount. */
export const decideCommission: Operation<DecideCommissionCall, ReturnType<typeof gather>, undefined> = {
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, commission }, context) {
    const { programId, decision } = call;
    const program = context.settings.program(programId);
    if (!program || commission === undefined) return refuse({ code: "not_found", what: "commission" });
    if (done !== undefined || commission.status === decision) return unchanged(programId, undefined);
    const isOpen = commission.status === "pending" || (commission.status === "approved" && decision === "rejected");
    if (!isOpen) return refuse({ code: "state_conflict", message: `Commission is ${commission.status}` });

    const writes: Write[] =
      decision === "approved"
        ? [releaseCommission({ id: commission.id, status: decision })]
        : [setCommissionStatus({ id: commission.id, status: decision })];
    if (decision === "rejected" && commission.amountCents > 0 && commission.partnerId !== null) {
      const rejected = {
        id: context.newId("ledgerEntries"),
        kind: "rejected",
        amountCents: -commission.amountCents,
        refundId: null,
        occurredAt: call.at,
        createdAt: call.at,
      } as const;
      writes.push(insertEntry(entryOf(commission, commission, commission.partnerId, rejected, program.timezone)));
    }

    const change = {
      programId,
      action: `commission.${decision}`,
      subject: `commission ${commission.id}`,
      before: { status: commission.status, amountCents: commission.amountCents },
      after: {
        status: decision,
        amountCents: decision === "approved" ? commission.amountCents : 0,
        ...(call.reason === undefined ? {} : { reason: call.reason }),
      },
    };
    return changed(call, change, writes, undefined, context);
  },
};
