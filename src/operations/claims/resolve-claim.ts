import type { ClaimOutcome } from "#domain/claim.ts";
import type { ClaimId, PartnerId, SaleId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import {
  type ClaimRow,
  claimById,
  customerOfSale,
  decideClaim,
  decisionOfClaim,
  type SaleOfClaim,
  saleOfClaim,
} from "#store/claims.ts";
import { linkOfPartner, partnerOfProgram } from "#store/partners.ts";
import type { Write } from "#store/statement.ts";
import { earlierAmountLocks } from "../attribution/amount-locks.ts";
import { policiesOfProgram } from "../attribution/policies.ts";
import { customerLock } from "../attribution/resolve-customer.ts";
import { claimsLock } from "../locks.ts";
import {
  type Assignment,
  assignment,
  type Effects,
  effectsIn,
  type MoreOfCustomer,
  readOfCustomer,
  storedEffects,
} from "../manage/assignment.ts";
import { noted } from "../manage/noted.ts";
import { auditedChange, auditWrite, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Commit, type Context, type Decision, type Gathered, type Operation, refuse } from "../operation.ts";
import { claimSubject } from "./open-claim.ts";

interface ResolveCall extends ChangeCall {
  readonly kind: "resolve-claim";
  readonly claimId: ClaimId;
  readonly partnerId: PartnerId;
  readonly outcome: ClaimOutcome;
  readonly partnerNote: string | null;
}

interface AcceptCall extends ResolveCall {
  readonly outcome: "theirs";
  /** The sale to credit. If a correction replaced it, its newest version is credited. */
  readonly saleId: SaleId;
  /** True if the customer's sales from this one on earn commission. If false, only future sales do. */
  readonly payPast: boolean;
}

interface DeclineCall extends ResolveCall {
  readonly outcome: "declined";
}

export type ResolveClaimCall = AcceptCall | DeclineCall;

/** The effects of the assignment. A repeated call returns the effects of the first. */
export type ClaimResolved = Effects;

function gather(call: ResolveClaimCall, more: Partial<MoreOfCustomer>) {
  const { programId, claimId, partnerId } = call;
  const saleId = call.outcome === "theirs" ? call.saleId : undefined;
  return {
    claim: claimById({ programId, id: claimId }),
    decided: decisionOfClaim({ programId, subject: claimSubject(claimId) }),
    partner: partnerOfProgram({ programId, id: partnerId }),
    firstLink: linkOfPartner({ partnerId }),
    sale: saleId === undefined ? undefined : saleOfClaim({ programId, claimId, saleId }),
    customer: saleId === undefined ? undefined : customerOfSale({ programId, saleId }),
    ...readOfCustomer(programId, more),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

/** A member decides a claim. If the claim is accepted, the same commit assigns the sale's customer to the partner. */
export const resolveClaim: Operation<ResolveClaimCall, ReturnType<typeof gather>, ClaimResolved, MoreOfCustomer> = {
  kind: "resolve-claim",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }, policiesOfProgram(programId)],
  gather,
  locks({ programId }, { customer, sales }) {
    if (customer === undefined) return { exclusive: [claimsLock(programId)] };
    const shared = earlierAmountLocks(sales, [customer]);
    return { exclusive: [claimsLock(programId), customerLock(customer.id)], shared };
  },

  decide(call, found, context) {
    const { claim, decided, sale } = found;
    if (claim === undefined || claim.partnerId !== call.partnerId) return refuse(notFound("claim"));
    const { status } = claim;
    if (status !== "open") {
      if (!isSameDecision(claim, call, sale)) return refuse({ code: "decided", of: "claim", status });
      return noChange(call.programId, effectsIn(decided?.after));
    }
    return call.outcome === "theirs" ? accept(call, claim, found, context) : decline(call, claim, found, context);
  },
};

const isSameDecision = (
  { status, paysPast }: ClaimRow,
  call: ResolveClaimCall,
  sale: SaleOfClaim | undefined,
): boolean =>
  status === call.outcome &&
  (call.outcome === "declined" || (sale?.isOfDecision === true && paysPast === call.payPast));

const noEffects = effectsIn(null);

type Assigned = Pick<Assignment, "effects" | "hasMore" | "writes" | "holdUntil">;

function accept(
  call: AcceptCall,
  claim: ClaimRow,
  found: Found,
  context: Context,
): Decision<ClaimResolved, MoreOfCustomer> {
  const { programId, payPast } = call;
  const { partner, sale, customer } = found;
  if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
  if (partner === undefined) return refuse(notFound("partner"));
  if (partner.erasureId !== null) return refuse({ code: "partner_erased" });
  if (sale === undefined) return refuse(notFound("sale"));
  // Without a customer there is no attribution to confirm, so a sale credited to the partner needs no assignment.
  const isAlready = sale.partnerId === claim.partnerId && customer?.confirmedAt !== null;
  const assigned = isAlready
    ? { ...noEffects, writes: [], holdUntil: undefined }
    : assign(call, { ...found, sale }, context);
  if ("kind" in assigned) return assigned;
  const { effects, hasMore, holdUntil } = assigned;
  const after = { saleId: sale.id, ...(payPast && { payPast }), ...storedEffects(assigned) };
  const decided = { saleId: sale.id, paysPast: payPast, writes: assigned.writes, answer: { effects, hasMore } };
  return { ...resolved(call, claim, { ...decided, after }, context), holdUntil };
}

const noCustomer = { path: ["saleId"], message: "saleId must be a sale with a customer" };

/** Assigns the customer as `assignCustomer` does. */
function assign(
  call: AcceptCall,
  { customer, firstLink, sale, ...found }: Found & { readonly sale: SaleOfClaim },
  context: Context,
): Assigned | Decision<never, MoreOfCustomer> {
  const { programId, partnerId, claimId, operationId, at } = call;
  const program = context.settings.program(programId);
  if (!program) return refuse(notFound("program"));
  if (firstLink === undefined) return refuse(notFound("partner"));
  if (customer === undefined) return refuse({ code: "invalid_input", errors: [noCustomer] });
  if (customer.confirmedAt !== null) return refuse({ code: "final" });
  if (customer.movedUpTo !== null) return refuse({ code: "moving" });
  // If the sale is already credited to the partner, the assignment confirms the credit.
  const isTheirs = sale.partnerId === partnerId;
  const since = call.payPast || isTheirs ? sale.occurredAt : at;
  const assigned = assignment({ ...found, known: customer, customer, firstLink, since }, { program, context, at });
  if ("kind" in assigned) return assigned;
  const { effects, hasMore, holdUntil } = assigned;
  const change = {
    programId,
    action: "customer.assigned",
    subject: `customer ${customer.id}`,
    before: null,
    after: { partnerId, since, ...storedEffects(assigned), claimId },
  };
  // Audit entries have unique operation ids. The claim's entry has the call's id, so the customer's entry needs another
  // id.
  const entry = auditWrite({ ...call, operationId: `${operationId} customer` }, change, context);
  return { effects, hasMore, holdUntil, writes: [...assigned.writes, entry] };
}

function decline(
  call: DeclineCall,
  claim: ClaimRow,
  { partner }: Found,
  context: Context,
): Decision<ClaimResolved, MoreOfCustomer> {
  // No text about a partner is stored after their erasure.
  if (partner?.erasureId != null && call.partnerNote !== null) return refuse({ code: "partner_erased" });
  return resolved(call, claim, { saleId: null, paysPast: false, after: {}, writes: [], answer: noEffects }, context);
}

interface Resolution extends Pick<ClaimRow, "saleId" | "paysPast"> {
  readonly after: Readonly<Record<string, unknown>>;
  readonly writes: readonly Write[];
  readonly answer: ClaimResolved;
}

function resolved(
  call: ResolveClaimCall,
  claim: ClaimRow,
  { saleId, paysPast, after, writes, answer }: Resolution,
  context: Context,
): Commit<ClaimResolved> {
  const { programId, partnerId, outcome, partnerNote, at } = call;
  const subject = claimSubject(claim.id);
  const texts = noted({ programId, subject }, { partnerNote }, context);
  const change = {
    programId,
    action: `claim.${outcome}`,
    subject,
    before: null,
    after: { partnerId, ...after, ...texts.named },
  };
  const row: ClaimRow = {
    ...claim,
    digest: null,
    status: outcome,
    saleId,
    paysPast,
    partnerNoteId: texts.named.partnerNote?.note ?? null,
    decidedAt: at,
    hasTexts: claim.hasTexts || partnerNote !== null,
  };
  return auditedChange(call, change, { writes: [...texts.writes, ...writes, decideClaim(row)], answer }, context);
}
