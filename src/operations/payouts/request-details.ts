import { dateUtc } from "#domain/calendar.ts";
import type { PartnerId } from "#domain/ids.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type DetailsRecipient, detailsRecipients } from "#store/details-requests.ts";
import { insertMail, type MailRow } from "#store/mails.ts";
import { accessLock } from "../locks.ts";
import { withMails } from "../mail/mail-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import type { Operation } from "../operation.ts";

interface DetailsRequest {
  readonly partnerId: PartnerId;
  /** In lower case. */
  readonly to: string;
  /** If the partner has no address: the account with access to the partner that has verified the address `to`. */
  readonly accountId?: string;
  readonly row: MailRow;
}

export interface RequestDetailsCall extends ChangeCall {
  readonly kind: "request-details";
  readonly requests: readonly DetailsRequest[];
}

export interface RequestDetailsAnswer {
  /** Partners that are mailed a request today. */
  readonly asked: readonly PartnerId[];
}

const gather = ({ operationId, programId, requests, at }: RequestDetailsCall) => ({
  done: auditOfOperation({ operationId }),
  partners: detailsRecipients({
    programId,
    ids: JSON.stringify(requests.map(({ partnerId }) => partnerId)),
    day: dateUtc(at),
  }),
});

/**
 * False if the partner's address has changed since the route read it, or the account has lost its access. Then no
 * request is mailed.
 */
const isStillTo = ({ to, accountId }: DetailsRequest, { email, accounts }: DetailsRecipient): boolean =>
  email === null ? accountId !== undefined && accounts.includes(accountId) : email.toLowerCase() === to;

/** Asks partners without payment details for them, each once a day. */
export const requestDetails: Operation<RequestDetailsCall, ReturnType<typeof gather>, RequestDetailsAnswer> = {
  kind: "request-details",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, partners }, context) {
    const { programId, requests, at } = call;
    const asked = partners.filter(({ isAsked }) => isAsked).map(({ id }) => id);
    const open = new Map(partners.flatMap((each) => (each.hasDetails || each.isAsked ? [] : [[each.id, each]])));
    const wanted = requests.filter((request) => {
      const partner = open.get(request.partnerId);
      return partner !== undefined && isStillTo(request, partner);
    });
    const [first, ...others] = wanted;
    if (done !== undefined || first === undefined) return noChange(programId, { asked });
    const change = {
      programId,
      action: "payment_details.requested",
      subject: others.length === 0 ? `partner ${first.partnerId}` : `${wanted.length} partners`,
      before: null,
      after: { count: wanted.length },
    };
    const writes = wanted.map(({ row }) => insertMail(row));
    const answer = { asked: [...asked, ...wanted.map(({ partnerId }) => partnerId)] };
    return withMails(auditedChange(call, change, { writes, answer }, context), at);
  },
};
