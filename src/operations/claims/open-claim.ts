import { dayMs } from "#domain/calendar.ts";
import { caps } from "#domain/caps.ts";
import type { ClaimedSale } from "#domain/claim.ts";
import { claimDigest } from "#domain/erasure.ts";
import type { ClaimId, PartnerId } from "#domain/ids.ts";
import { programStatus } from "#domain/program-status.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import {
  type ClaimRow,
  claimsOfPartnerSince,
  insertClaim,
  openClaimCount,
  openClaimsOfPartner,
} from "#store/claims.ts";
import { partnerOfProgram } from "#store/partners.ts";
import { claimsLock } from "../locks.ts";
import { noted } from "../manage/noted.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Commit, type Context, type Operation, refuse } from "../operation.ts";

export interface OpenClaimCall extends ChangeCall, ClaimedSale {
  readonly kind: "open-claim";
  readonly partnerId: PartnerId;
  /** The most claims that the partner may open on a day (UTC). Null for no limit. */
  readonly mostToday: number | null;
}

export interface ClaimOpened {
  readonly claimId: ClaimId;
  /** False if the partner already has an open claim with the same contents. */
  readonly isNew: boolean;
}

const startOfToday = (at: number): number => at - (at % dayMs);

const gather = ({ operationId, programId, partnerId, at }: OpenClaimCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  own: openClaimsOfPartner({ programId, partnerId }),
  today: claimsOfPartnerSince({ programId, partnerId, since: startOfToday(at) }),
  open: openClaimCount({ programId }),
});

/** A partner reports a sale that is missing from their commissions. */
export const openClaim: Operation<OpenClaimCall, ReturnType<typeof gather>, ClaimOpened> = {
  kind: "open-claim",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [claimsLock(programId)] }),

  decide(call, { done, partner, own, today, open }, context) {
    const { programId, mostToday, at } = call;
    const program = context.settings.program(programId);
    if (!program || partner === undefined) return refuse(notFound("partner"));
    if (done !== undefined) return noChange(programId, { claimId: idIn(done.subject), isNew: true });
    if (programStatus(program) !== "active" || partner.status !== "active") return refuse({ code: "inactive" });
    const digest = claimDigest({ programId, hashSecret: context.hashSecret }, call);
    const same = own.find((each) => each.digest === digest);
    if (same !== undefined) return noChange(programId, { claimId: same.id, isNew: false });
    if (mostToday !== null && today >= mostToday) {
      return refuse({ code: "rate_limited", retryAfterSeconds: Math.ceil((startOfToday(at) + dayMs - at) / 1_000) });
    }
    if (own.length >= caps.openClaimsOfPartner.max) return refuse({ code: "claims_full", cap: "openClaimsOfPartner" });
    if (open >= caps.openClaims.max) return refuse({ code: "claims_full", cap: "openClaims" });
    return receive(call, digest, context);
  },
};

const subjectHead = "claim ";
export const claimSubject = (id: ClaimId): string => `${subjectHead}${id}`;
const idIn = (subject: string): ClaimId => Number(subject.slice(subjectHead.length));

function receive(call: OpenClaimCall, digest: string, context: Context): Commit<ClaimOpened> {
  const { programId, partnerId, day, amountCents, currency, reference, note, at } = call;
  const claimId = context.newId("claims");
  const subject = claimSubject(claimId);
  const texts = noted({ programId, subject }, { reference, note }, context);
  const referenceId = texts.named.reference?.note ?? null;
  const noteId = texts.named.note?.note ?? null;
  const row: ClaimRow = {
    id: claimId,
    programId,
    partnerId,
    day,
    amountCents,
    currency,
    referenceId,
    noteId,
    digest,
    status: "open",
    saleId: null,
    paysPast: false,
    partnerNoteId: null,
    decidedAt: null,
    hasTexts: texts.writes.length > 0,
    createdAt: at,
  };
  const amount = amountCents === null ? {} : { amountCents, currency };
  const after = { partnerId, day, ...amount, ...texts.named };
  const change = { programId, action: "claim.opened", subject, before: null, after };
  const writes = [...texts.writes, insertClaim(row)];
  return auditedChange(call, change, { writes, answer: { claimId, isNew: true } }, context);
}
