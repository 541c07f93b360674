import { type Explanation as Explained, explain } from "#domain/explain/explain.ts";
import type { DecisionFacts, ExplainFacts } from "#domain/explain/facts.ts";
import type { Audience } from "#domain/explain/missing.ts";
import type { KeyBook } from "#domain/program-key.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { type CamelKeys, camelCase } from "#http/schema/camel-keys.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import { linkBase } from "#http/transport.ts";
import { type Caller, inTurn } from "#http/turns.ts";
import type { ErasureRow } from "#store/erasures.ts";
import { type ExplainFound, type ExplainKey, type ExplainRequest, readExplainFacts } from "#store/reports/explain.ts";
import { readFromDatabase } from "../read-database.ts";
import { withNames } from "../with-names.ts";
import { erasedIds, erasureOf } from "./erased.ts";
import { storyCursors } from "./query.ts";
import type { Explanation } from "./reply.ts";

type Found = Pick<Extract<ExplainFound, { found: true }>, "events" | "next"> & {
  readonly erasure: ErasureRow | undefined;
};

interface Reader {
  readonly audience: Audience;
  /** Returns a parameter's name as the route spells it, in snake_case or camelCase. */
  nameOf(name: string): string;
  /** True if the caller may also see data of the other book. */
  readonly seesBothBooks: boolean;
}

export const toIntegrator = (book: KeyBook): Reader => ({
  audience: "integrator",
  nameOf: (name) => name,
  seesBothBooks: book === "both",
});
export const toOwner: Reader = { audience: "owner", nameOf: camelCase, seesBothBooks: true };

export const readExplanation = (
  c: Ctx,
  by: Caller,
  request: ExplainRequest,
  reader: Reader,
): Promise<Result<CamelKeys<Explanation>>> => inTurn(c, by, () => readInTurn(c, request, reader));

async function readInTurn(c: Ctx, request: ExplainRequest, reader: Reader): Promise<Result<CamelKeys<Explanation>>> {
  const { at } = c.get("call");
  const found = await readFacts(c, request);
  if (!found.ok) return found;
  if (!found.value.found)
    return refused({ code: "nothing_to_explain", message: notFound(request, found.value, reader) });
  const facts = await factsWithNames(c, found.value.facts);
  if (!facts.ok) return facts;
  const erasure = await erasureOf(c, request.programId, facts.value.customer);
  if (!erasure.ok) return erasure;
  const { events, next } = found.value;
  const explained = explain(facts.value, at, reader.audience);
  return ok(explanationReply(explained, { events, next, erasure: erasure.value }, linkBase(c)));
}

/** Reads the facts. If an id isn't found, looks for the pseudonym with which an erasure may have replaced the id. */
async function readFacts(c: Ctx, request: ExplainRequest): Promise<Result<ExplainFound>> {
  const read = (wanted: ExplainRequest) =>
    readFromDatabase(c, "program", (database) => readExplainFacts(database, wanted));
  const found = await read(request);
  if (!found.ok || found.value.found || !found.value.hasErased) return found;
  const asStored = await erasedIds(c, request);
  if (!asStored.ok) return asStored;
  return asStored.value === undefined ? found : read({ ...request, ...asStored.value });
}

async function factsWithNames(c: Ctx, facts: ExplainFacts): Promise<Result<ExplainFacts>> {
  const payers = await withNames(c, facts.entries, "payoutById", "payoutBy");
  if (!payers.ok) return payers;
  const entries = await withNames(c, payers.value, "authorId", "author");
  if (!entries.ok || facts.decision === undefined)
    return entries.ok ? ok({ ...facts, entries: entries.value }) : entries;
  const decision = await withNames(c, [facts.decision], "actorId", "name");
  return decision.ok ? ok({ ...facts, entries: entries.value, decision: decision.value[0] }) : decision;
}

const nouns: Readonly<Record<ExplainKey, readonly [noun: string, name: string]>> = {
  click: ["click", "click_id"],
  lead: ["lead", "lead_id"],
  sale: ["sale", "sale_id"],
  commission: ["commission", "commission_id"],
  transaction: ["sale", "transaction_id"],
  customer: ["customer", "customer_key"],
};

function notFound(
  { by, isTest, refundId }: ExplainRequest,
  { elsewhere, hasSale }: Extract<ExplainFound, { found: false }>,
  { nameOf, seesBothBooks }: Reader,
): string {
  const [noun, name] = refundId !== undefined && hasSale ? (["refund of this sale", "refund_id"] as const) : nouns[by];
  const book = isTest ? "test " : "";
  const other = isTest ? "live" : "test";
  const nothing = `No ${book}${noun} has this ${nameOf(name)}.`;
  return elsewhere && seesBothBooks
    ? `${nothing} A ${other} ${noun.replace("of this sale", "of it")} has this ${nameOf(name)}.`
    : nothing;
}

function explanationReply(explained: Explained, { events, next, erasure }: Found, url: string): CamelKeys<Explanation> {
  const { customer, commission, candidates, missing, verdict, settingsThen, ...rest } = explained;
  return {
    subject: rest.subject,
    verdict: { ...verdict, sums: verdict.sums.map(({ hasCommissions: _, ...sum }) => sum) },
    customer: customer && {
      ...customer,
      knownSince: timestamp(customer.knownSince),
      since: timestampOrNull(customer.since),
      lockedSince: timestampOrNull(customer.lockedSince),
    },
    events: events.map(eventReply),
    nextCursor: storyCursors.after(next),
    candidates: candidates.map(({ clickId, at, partnerCode, ...judged }) => ({
      clickId,
      at: timestampOrNull(at),
      partnerCode,
      ...judged,
    })),
    erased: rest.erased,
    erasure: erasure === undefined ? null : { receiptId: erasure.id, erasedAt: timestampOrNull(erasure.erasedAt) },
    earlierClicks: rest.earlierClicks,
    coupons: [...rest.coupons],
    commission: commission && {
      ...commission,
      holdUntil: timestampOrNull(commission.holdUntil),
      decision: commission.decision && decisionReply(commission.decision),
      calculation: [...commission.calculation],
      entries: commission.entries.map((entry) => ({
        ...entry,
        occurredAt: timestamp(entry.occurredAt),
        postedAt: timestamp(entry.postedAt),
      })),
    },
    corrects: rest.corrects,
    correctedBy: rest.correctedBy,
    renewal: rest.renewal,
    missing: missing.map((each) => ({ ...each, docsUrl: new URL(`/docs#reason-${each.code}`, url).href })),
    settingsThen,
    settingsNow: rest.settingsNow,
  };
}

const decisionReply = ({ status, at, name, reason }: DecisionFacts) => ({
  status,
  at: timestamp(at),
  by: { type: "member" as const, name },
  reason,
});

function eventReply(event: Found["events"][number]): CamelKeys<Explanation>["events"][number] {
  const { occurredAt, receivedAt } = event;
  return { ...event, occurredAt: timestamp(occurredAt), receivedAt: timestampOrNull(receivedAt) };
}
