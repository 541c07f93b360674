import { dayIn } from "#domain/calendar.ts";
import type { PartnerId } from "#domain/ids.ts";
import { lastEntryOf } from "#store/audit.ts";
import { accessLock } from "../locks.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import type { Operation } from "../operation.ts";

export interface ViewAsPartnerCall extends ChangeCall {
  readonly kind: "view-as-partner";
  readonly partnerId: PartnerId;
  readonly timezone: string;
}

const subjectOf = (partnerId: PartnerId) => `partner ${partnerId}`;
const action = "partner.viewed";

const gather = ({ programId, partnerId, actorId }: ViewAsPartnerCall) => ({
  last: lastEntryOf({ programId, subject: subjectOf(partnerId), action, actorId }),
});

/** Records in the audit trail that an owner views a partner's pages, at most once a day. */
export const viewAsPartner: Operation<ViewAsPartnerCall, ReturnType<typeof gather>, undefined> = {
  kind: "view-as-partner",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { last }, context) {
    const { programId, partnerId, timezone, at } = call;
    const isNoted = last !== undefined && dayIn(timezone, last.createdAt) >= dayIn(timezone, at);
    if (isNoted) return noChange(programId, undefined);
    const change = { programId, action, subject: subjectOf(partnerId), before: null, after: null };
    return auditedChange(call, change, { writes: [], answer: undefined }, context);
  },
};
