import type { ClickKeyRing } from "../../domain/click-id.ts";
import type { Refusal } from "../../domain/refusal.ts";
import type { ChainVerdict } from "../../domain/verification.ts";
import { isFullyAttributed, maxRunsPerHour, verdictOf } from "../../domain/verification.ts";
import { clickKeysOf } from "../../env.ts";
import { callLedger } from "../../http/call-ledger.ts";
import type { Ctx } from "../../http/context.ts";
import { failureOf, messageOf } from "../../http/refusal/table.ts";
import type { LedgerRpc } from "../../ledger/rpc.ts";
import type { Credential, Outcome } from "../../operations/operation.ts";
import type { LeadAnswer } from "../../operations/track/lead.ts";
import type { ClickAnswer } from "../../operations/track/record-click.ts";
import type { SaleAnswer } from "../../operations/track/sale.ts";
import type { ChainReply } from "../public/program/verification.ts";
import { verifiedClick } from "../public/track/click-ids.ts";
import { trackingStyle } from "../public/track/error-style.ts";
import { deriveCall } from "./derive-call.ts";
import { testClick, testLead, testSale } from "./synthetic-events.ts";

type StepName = "click" | "lead" | "sale";
type Step = ChainReply["data"]["steps"][number];

interface Judgement {
  readonly verdict: ChainVerdict;
  readonly message: string;
}

/** A step that was tried, or could not be. */
interface Attempt<Answer> {
  readonly verdict: ChainVerdict;
  readonly answer?: Answer;
  readonly refusal?: Refusal;
  readonly step: Step;
}

type ChainRun = { readonly ok: true; readonly reply: ChainReply } | { readonly ok: false; readonly refusal: Refusal };

/**
 * A click, a lead and a sale on the test book, by the calls that real ones take, each resting on what the one before
 * it answered. What goes wrong with one of them is what the run is for, and no fault of it.
 */
export async function runChain(c: Ctx, key: Credential): Promise<ChainRun> {
  const call = c.get("call");
  announceRuns(c);
  const begin = { ...call, kind: "begin-verification", key } as const;
  const begun = await callLedger(c, key, (ledger) => ledger.change("begin-verification", begin));
  if (!begun.ok) return begun;

  const { programId, shortCode } = begun.answer;
  const vouched = { programId, vouched: true } as const;
  const customerKey = `verification_${call.operationId}`;
  const at = (name: string) => deriveCall(call, name);

  const click = await attempt(c, programId, "click", judgeClick(shortCode), (ledger) =>
    ledger.recordClick(testClick(at("click"), vouched, shortCode)),
  );
  const shown = verifiedClickOf(click.answer, clickKeysOf(c.env));
  const lead = shown
    ? await attempt(c, programId, "lead", judgeLead(shortCode), (ledger) =>
        ledger.recordLead(testLead(at("lead"), vouched, customerKey, shown)),
      )
    : skipped<LeadAnswer>("lead");
  const sale = lead.answer
    ? await attempt(c, programId, "sale", judgeSale(shortCode), (ledger) =>
        ledger.recordSale(testSale(at("sale"), vouched, customerKey, customerKey)),
      )
    : skipped<SaleAnswer>("sale");
  const outage = [click, lead, sale].find(({ refusal }) => refusal?.code === "unavailable")?.refusal;
  if (outage !== undefined) return { ok: false, refusal: outage };

  const verdict = { click: click.verdict, lead: lead.verdict, sale: sale.verdict };
  const attributed = isFullyAttributed(verdict);
  const finish = {
    ...at("finish"),
    kind: "finish-verification",
    key,
    chain: verdict,
    isAttributed: attributed,
  } as const;
  const finished = await callLedger(c, key, (ledger) => ledger.change("finish-verification", finish));
  if (!finished.ok) return finished;
  const steps = [click.step, lead.step, sale.step];
  const data = { type: "chain" as const, short_code: shortCode, customer_key: customerKey, verdict, attributed, steps };
  return { ok: true, reply: { data } };
}

function announceRuns(c: Ctx): void {
  c.header("RateLimit-Policy", `"verification";q=${maxRunsPerHour};w=3600`);
  c.header("X-RateLimit-Limit", String(maxRunsPerHour));
}

async function attempt<Answer>(
  c: Ctx,
  programId: number,
  name: StepName,
  judge: (answer: Answer) => Judgement,
  ask: (ledger: LedgerRpc) => Promise<Outcome<Answer>>,
): Promise<Attempt<Answer>> {
  const startedAt = Date.now();
  const outcome = await callLedger(c, { programId }, ask);
  const duration_ms = Date.now() - startedAt;
  if (!outcome.ok) {
    const { refusal } = outcome;
    const message = messageOf(refusal, styles[name]);
    const step = { name, status: "fail" as const, http_status: failureOf(refusal.code).status, duration_ms, message };
    return { verdict: "pending", refusal, step };
  }
  const { verdict, message } = judge(outcome.answer);
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

const judgeClick =
  (shortCode: string) =>
  (click: ClickAnswer): Judgement => {
    if (!click.recorded) return { verdict: "unattributed", message: "Referral link is inactive" };
    const verdict = verdictOf(shortCode, click.partnerCode);
    return { verdict, message: verdict === "attributed" ? "Click recorded for the partner" : wrongPartner };
  };

const judgeLead =
  (shortCode: string) =>
  (lead: LeadAnswer): Judgement => {
    if (lead.status === "provisional") return { verdict: "unattributed", message: "provisional" };
    if (lead.status === "unattributed") return { verdict: "unattributed", message: lead.reason };
    const verdict = verdictOf(shortCode, lead.partnerCode);
    return { verdict, message: verdict === "attributed" ? "Lead attributed to the partner" : wrongPartner };
  };

/** Attributed is a sale that earned its partner a commission. */
const judgeSale =
  (shortCode: string) =>
  ({ partnerCode, reason, commission }: SaleAnswer): Judgement => {
    const verdict = verdictOf(shortCode, partnerCode);
    if (verdict === "wrong_partner") return { verdict, message: wrongPartner };
    const why = reason ?? commission.reason;
    if (why === undefined) return { verdict, message: "Sale attributed to the partner, and a commission earned" };
    return { verdict: "unattributed", message: why };
  };
