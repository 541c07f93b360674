import { sumsByCurrency } from "#domain/currency-sums.ts";
import { chronological, type StoryPosition, startAfter, storyPageSize } from "#domain/explain/event-order.ts";
import type { ExplainFacts, LeadFacts, SettingsNowFacts, StorySale, Subject } from "#domain/explain/facts.ts";
import type { ProgramId } from "#domain/ids.ts";
import { offerOf } from "#domain/offers.ts";
import { unitsByCode } from "#domain/units.ts";
import { type Database, readBatch } from "../database.ts";
import { type Program, programReads } from "../settings.ts";
import { unitsOfProgram } from "../units.ts";
import type { ChainKey, ExplainKey } from "./explain-chain.ts";
import { type ExplainQuery, eventsOf, type StoryEvent } from "./explain-events.ts";
import * as facts from "./explain-facts.ts";
import { offersOf } from "./explain-offer.ts";

export type { ExplainKey };

export interface ExplainRequest {
  readonly programId: ProgramId;
  readonly isTest: boolean;
  readonly by: ExplainKey;
  readonly key: number | string;
  readonly refundId: string | undefined;
  readonly after: StoryPosition | undefined;
  /** Events per page. Default: `storyPageSize`. */
  readonly limit?: number | undefined;
}

/**
 * `elsewhere`: the subject is in the program's other book. `hasErased`: the program has erased customers, so the
 * subject may have a pseudonym now.
 */
export type ExplainFound =
  | {
      readonly found: true;
      readonly facts: ExplainFacts;
      /** A page of the chain's events, oldest first. */
      readonly events: readonly StoryEvent[];
      /** Undefined on the last page. */
      readonly next: StoryPosition | undefined;
    }
  | {
      readonly found: false;
      readonly elsewhere: boolean;
      readonly hasSale: boolean;
      readonly hasErased: boolean;
    };

const salesFigures = ["sales", "attributedSales", "amountCents", "refundedCents"] as const;

/** Makes one database request. */
export async function readExplainFacts(
  database: Database,
  { by: named, refundId, after, limit = storyPageSize, ...book }: ExplainRequest,
): Promise<ExplainFound> {
  const by = chainKeyOf({ by: named, refundId });
  const query: ExplainQuery = { ...book, isTestElsewhere: !book.isTest, refundId: refundId ?? null };
  const eventsQuery = (type: keyof typeof eventsOf) => ({ ...query, ...startAfter(type, after), limit: limit + 1 });
  const read = await readBatch(database, {
    found: facts.found(by)(query),
    customers: facts.customersOf(by)(query),
    ...(by === "click" && { click: facts.clickOf(query) }),
    lead: facts.leadOf(by)(query),
    sale: facts.saleOf(by)(query),
    entries: facts.entriesOf(by)(query),
    ...(refundId !== undefined && { refund: facts.refundOf(query) }),
    decision: facts.decisionOf(by)(query),
    offers: offersOf(by)(query),
    sums: facts.sumsOf(by)(query),
    units: unitsOfProgram({ programId: book.programId }),
    ...(by !== "click" && { earlier: facts.earlierClicksOf(by)(query) }),
    program: programReads(book.programId).row,
    clicks: eventsOf.click(by, eventsQuery("click")),
    leads: eventsOf.lead(by, eventsQuery("lead")),
    sales: eventsOf.sale(by, eventsQuery("sale")),
    refunds: eventsOf.refund(by, eventsQuery("refund")),
  });
  const { here = false, elsewhere = false, hasSale = false } = read.found ?? {};
  if (!here || read.program === undefined)
    return { found: false, elsewhere, hasSale, hasErased: read.program?.hasErased ?? false };
  const all = [...read.clicks, ...read.leads, ...read.sales, ...read.refunds].sort(chronological);
  const events = all.slice(0, limit);
  const subject = subjectOf(named, book.key, refundId, read.sale);
  return {
    found: true,
    events,
    next: all.length > limit ? events.at(-1) : undefined,
    facts: {
      subject,
      customer: read.customers.length === 1 ? read.customers[0] : undefined,
      click: read.click,
      lead: read.lead,
      sale: read.sale,
      entries: read.entries,
      refund: read.refund,
      decision: read.decision,
      offer: offerOf(read.offers),
      sums: sumsByCurrency(salesFigures, read.sums),
      units: unitsByCode(read.units),
      earlierClicks: read.earlier?.n ?? 0,
      now: settingsNow(read.program, read),
      timezone: read.program.timezone,
    },
  };
}

const chainKeyOf = ({ by, refundId }: Pick<ExplainRequest, "by" | "refundId">): ChainKey =>
  by === "transaction" && refundId !== undefined ? "refund" : by;

export function subjectFound(
  programId: ProgramId,
  { by, key, refundId }: Pick<ExplainRequest, "by" | "key" | "refundId">,
) {
  const query = { programId, isTest: false, isTestElsewhere: true, key, refundId: refundId ?? null };
  return facts.found(chainKeyOf({ by, refundId }))(query);
}

type FoundSale = StorySale & facts.PolicyNow;
type FoundLead = LeadFacts & facts.PolicyNow;

function settingsNow(
  program: Omit<Program, "keys">,
  { sale, lead }: { readonly sale: FoundSale | undefined; readonly lead: FoundLead | undefined },
): SettingsNowFacts {
  const ofPartner = sale?.commission.partnerId == null ? lead : sale;
  return {
    model: program.attributionModel,
    windowDays: program.attributionWindowDays,
    windowUntil: program.windowUntil,
    policyVersion: ofPartner?.policyVersionNow ?? null,
    policyGroup: ofPartner?.policyGroupNow ?? null,
    partnerStatus: sale?.partnerStatus ?? lead?.partnerStatus ?? null,
  };
}

function subjectOf(
  by: ExplainKey,
  key: number | string,
  refundId: string | undefined,
  sale: StorySale | undefined,
): Subject {
  if (by !== "transaction") return { type: by, id: key };
  return refundId === undefined ? { type: "sale", id: sale?.id ?? 0 } : { type: "refund", id: refundId };
}
