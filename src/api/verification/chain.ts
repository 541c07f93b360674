import { createHash } from "node:crypto";
import type { ClickKeyRing } from "#domain/click-id.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { type ChainVerdict, isFullyAttributed, maxRunsPerHour, verdictOf } from "#domain/verification.ts";
import { clickKeysOf } from "#env.ts";
import { callLedger } from "#http/call-ledger.ts";
import { verifiedClick } from "#http/click-ids.ts";
import type { Ctx } from "#http/context.ts";
import { entryOf, messageOf } from "#http/refusal/table.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";
import type { LedgerRpc } from "#ledger/rpc.ts";
import type { Call, Credential, Outcome } from "#operations/operation.ts";
import type { LeadAnswer } from "#operations/track/lead.ts";
import type { ClickAnswer } from "#operations/track/record-click.ts";
import type { SaleAnswer } from "#operations/track/sale.ts";
import type { ChainReply } from "./reply.ts";
import { testClick, testLead, testSale } from "./synthetic-events.ts";

type StepName = "click" | "lead" | "sale";
type Step = ChainReply["data"]["steps"][number];

interface Evaluation {
  readonly verdict: ChainVerdict;
  readonly message: string;
}

interface StepPlan<Answer> {
  readonly name: StepName;
  readonly send: (ledger: LedgerRpc) => Promise<Outcome<Answer>>;
  readonly evaluate: (answer: Answer) => Evaluation;
}

interface Attempt<Answer> {
  readonly verdict: ChainVerdict;
  readonly answer?: Answer;
  readonly refusal?: Refusal;
  readonly step: Step;
}

/**
 * Records a click, a lead and a sale in test mode. Each step uses the reply of the previous step. A failed step is a
 * result, not an error. Refuses if the run can't start, if a step is `unavailable`, or if the result can't be stored.
 */
export async function runChain(c: Ctx, key: Credential): Promise<Result<ChainReply>> {
  const call = c.get("call");
  announceRuns(c);
  const begin = { ...call, kind: "begin-verification", key, isTest: true } as const;
  const begun = await callLedger(c, key, (ledger) => ledger.run(begin));
  if (!begun.ok) return begun;

  const { programId, shortCode } = begun.answer;
  const caller = { programId, vouched: true } as const;
  const customerKey = `verification_${call.operationId}`;

  const click = await attempt(c, programId, {
    name: "click",
    send: (ledger) => ledger.run(testClick(deriveCall(call, "click"), caller, shortCode)),
    evaluate: evaluateClick(shortCode),
  });
  const clickId = verifiedClickOf(click.answer, clickKeysOf(c.env));
  const lead = clickId
    ? await attempt(c, programId, {
        name: "lead",
        send: (ledger) => ledger.run(testLead(deriveCall(call, "lead"), caller, customerKey, clickId)),
        evaluate: evaluateLead(shortCode),
      })
    : skipped<LeadAnswer>("lead");
  const sale = lead.answer
    ? await attempt(c, programId, {
        name: "sale",
        send: (ledger) => ledger.run(testSale(deriveCall(call, "sale"), caller, customerKey, customerKey)),
        evaluate: evaluateSale(shortCode),
      })
    : skipped<SaleAnswer>("sale");
  const outage = [click, lead, sale].find(({ refusal }) => refusal?.code === "unavailable")?.refusal;
  if (outage !== undefined) return refused(outage);

  const verdict = { click: click.verdict, lead: lead.verdict, sale: sale.verdict };
  const attributed = isFullyAttributed(verdict);
  const finish = {
    ...deriveCall(call, "finish"),
    kind: "finish-verification",
    key,
    isTest: true,
    chain: verdict,
    isAttributed: attributed,
  } as const;
  const finished = await callLedger(c, key, (ledger) => ledger.run(finish));
  if (!finished.ok) return finished;
  const steps = [click.step, lead.step, sale.step];
  const data = { type: "chain" as const, short_code: shortCode, customer_key: customerKey, verdict, attributed, steps };
  return ok({ data });
}

/** A further call within the request. Its operation id is derived from the request's. */
const deriveCall = ({ operationId }: Call, name: string): Call => ({
  operationId: createHash("sha256").update(`${operationId} ${name}`).digest("hex").slice(0, operationId.length),
  at: Date.now(),
});

function announceRuns(c: Ctx): void {
  c.header("RateLimit-Policy", `"verification";q=${maxRunsPerHour};w=3600`);
  c.header("X-RateLimit-Limit", String(maxRunsPerHour));
}

async function attempt<Answer>(
  c: Ctx,
  programId: ProgramId,
  { name, send, evaluate }: StepPlan<Answer>,
): Promise<Attempt<Answer>> {
  const startedAt = Date.now();
  const outcome = await callLedger(c, { programId }, send);
  const duration_ms = Date.now() - startedAt;
  if (!outcome.ok) {
    const { refusal } = outcome;
    const message = messageOf(refusal, styles[name]);
    const step = { name, status: "fail" as const, http_status: entryOf(refusal.code).status, duration_ms, message };
    return { verdict: "pending", refusal, step };
  }
  const { verdict, message } = evaluate(outcome.answer);
  const status = verdict === "attributed" ? ("pass" as const) : ("fail" as const);
  return { verdict, answer: outcome.answer, step: { name, status, http_status: 200, duration_ms, message } };
}

const skipped = <Answer>(name: StepName): Attempt<Answer> => ({
  verdict: "pending",
  step: { name, status: "skipped", http_status: null, duration_ms: 0, message: "Rests on a step that failed" },
});

const styles = { click: trackingStyle("Click"), lead: trackingStyle("Lead"), sale: trackingStyle("Sale") } as const;

function verifiedClickOf(click: ClickAnswer | undefined, ring: ClickKeyRing) {
  return click?.recorded ? verifiedClick(ring, click.clickId) : undefined;
}

const wrongPartner = "Attributed to another partner";

const evaluateClick =
  (shortCode: string) =>
  (click: ClickAnswer): Evaluation => {
    if (!click.recorded) return { verdict: "unattributed", message: "Referral link is inactive" };
    const verdict = verdictOf(shortCode, click.partnerCode);
    return { verdict, message: verdict === "attributed" ? "Click recorded for the partner" : wrongPartner };
  };

const evaluateLead =
  (shortCode: string) =>
  (lead: LeadAnswer): Evaluation => {
    if (lead.status === "provisional") return { verdict: "unattributed", message: "provisional" };
    if (lead.status === "unattributed") return { verdict: "unattributed", message: lead.reason };
    const verdict = verdictOf(shortCode, lead.partnerCode);
    return { verdict, message: verdict === "attributed" ? "Lead attributed to the partner" : wrongPartner };
  };

/** A sale counts as attributed only if it earned a commission. */
const evaluateSale =
  (shortCode: string) =>
  ({ partnerCode, reason, commission }: SaleAnswer): Evaluation => {
    const verdict = verdictOf(shortCode, partnerCode);
    if (verdict === "wrong_partner") return { verdict, message: wrongPartner };
    const why = reason ?? commission.reason;
    if (why === undefined) return { verdict, message: "Sale attributed to the partner, and a commission earned" };
    return { verdict: "unattributed", message: why };
  };
