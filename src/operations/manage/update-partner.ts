import { auditOfOperation } from "../../store/audit.ts";
import { type PartnerRow, partnerOfProgram, updatePartner as write } from "../../store/partners.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, diff, noChange, type Patch, settingsChange } from "./settings-change.ts";

export interface UpdatePartnerCall extends ChangeCall {
  readonly kind: "update-partner";
  readonly partnerId: number;
  readonly changes: Patch<Pick<PartnerRow, "name" | "status">>;
}

const gather = ({ operationId, programId, partnerId }: UpdatePartnerCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
});

export const updatePartner: Operation<UpdatePartnerCall, ReturnType<typeof gather>, undefined> = {
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partner }, context) {
    if (partner === undefined) return refuse({ code: "not_found", what: "partner" });
    const changes = diff(partner, call.changes);
    if (done !== undefined || changes === undefined) return noChange(call.programId, undefined);

    const { before, after } = changes;
    const subject = `partner ${partner.id}`;
    const change = { programId: call.programId, action: "partner.updated", subject, before, after };
    const { programId, partnerId } = call;
    return {
      ...settingsChange(call, change, { writes: [write(changes.row)], answer: undefined }, context),
      changes: { programId, partnerId },
    };
  },
};
