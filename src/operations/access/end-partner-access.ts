import type { PartnerId } from "#domain/ids.ts";
import { auditOfOperation } from "#store/audit.ts";
import { accountsOfPartner, deletePartnerAccount } from "#store/partner-access.ts";
import { accessLock } from "../locks.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface EndPartnerAccessCall extends ChangeCall {
  readonly kind: "end-partner-access";
  readonly partnerId: PartnerId;
  readonly accountId: string;
}

const gather = ({ operationId, programId, partnerId }: EndPartnerAccessCall) => ({
  done: auditOfOperation({ operationId }),
  accounts: accountsOfPartner({ programId, partnerId }),
});

export const endPartnerAccess: Operation<EndPartnerAccessCall, ReturnType<typeof gather>, undefined> = {
  kind: "end-partner-access",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, accounts }, context) {
    const { programId, partnerId, accountId } = call;
    if (done !== undefined) return noChange(programId, undefined);
    const account = accounts.find((each) => each.accountId === accountId);
    if (account === undefined) return refuse({ code: "not_found", what: "account" });
    const change = {
      programId,
      action: "partner_access.ended",
      subject: `partner ${partnerId}`,
      before: { accountId, role: account.role },
      after: null,
    };
    const writes = [deletePartnerAccount({ partnerId, accountId })];
    return auditedChange(call, change, { writes, answer: undefined }, context);
  },
};
