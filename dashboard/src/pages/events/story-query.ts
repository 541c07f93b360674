import { api, take } from "../../api/client.ts";
import { type Partner, useAllPartners } from "../../api/partners.ts";
import type { EventKind, EventOf, TrackedEvent } from "../../api/types.ts";
import { useQuery } from "../../api/use-query.ts";
import { readExplanation } from "../../explanation.ts";
import { useProgram } from "../../session.tsx";
import type { EventRef } from "./event-ref.ts";
import { type EventQuery, readEvents } from "./queries.ts";
import { type SearchResult, search } from "./search.ts";
import type { Commission, Decision, Facts } from "./story.ts";

const pageSize = "100";
/** Must match the service's tolerance for clock differences. */
const toleranceMs = 5 * 60_000;

function dayIn(timezone: string, instant: string): string {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const part = Object.fromEntries(parts.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
  return `${part.year}-${part.month}-${part.day}`;
}

const nothing = { found: [], isComplete: true } as const;

class Reader {
  readonly #program: { readonly id: number; readonly timezone: string };
  readonly #partners: readonly Partner[];
  readonly #signal: AbortSignal;

  constructor(
    program: { readonly id: number; readonly timezone: string },
    partners: readonly Partner[],
    signal: AbortSignal,
  ) {
    this.#program = program;
    this.#partners = partners;
    this.#signal = signal;
  }

  day(instant: string): string {
    return dayIn(this.#program.timezone, instant);
  }

  /**
   * Undefined for the synthetic partner of a verification, which isn't listed. The search then isn't filtered by
   * partner.
   */
  partnerId(code: string | null): number | undefined {
    return this.#partners.find((partner) => partner.code === code)?.id;
  }

  async events<Of extends EventKind>(
    kind: Of,
    where: { readonly isTest: boolean; readonly code: string | null; readonly from?: string; readonly to?: string },
    matches: (event: EventOf<Of>) => boolean,
    limit?: number,
  ): Promise<SearchResult<EventOf<Of>>> {
    const partnerId = this.partnerId(where.code);
    const query: EventQuery = {
      eventType: kind,
      test: where.isTest ? "only" : "exclude",
      pageSize,
      ...(partnerId !== undefined && { partnerId: String(partnerId) }),
      ...(where.from !== undefined && { dateFrom: this.day(where.from) }),
      ...(where.to !== undefined && { dateTo: this.day(where.to) }),
    };
    const isOfKind = (event: TrackedEvent): event is EventOf<Of> => event.event_type === kind;
    return search(
      async (cursor) => {
        const { data, meta } = await readEvents(
          this.#program.id,
          { ...query, ...(cursor && { cursor }) },
          this.#signal,
        );
        return { rows: data.filter(isOfKind), nextCursor: meta.pagination.nextCursor };
      },
      { matches, ...(limit !== undefined && { limit }) },
    );
  }

  /** Only live commissions are listed. */
  async commission(
    where: { readonly code: string | null; readonly isVoid: boolean },
    matches: (commission: Commission) => boolean,
    afterId = 0,
  ): Promise<SearchResult<Commission>> {
    const partnerId = this.partnerId(where.code);
    const query = {
      ...(where.isVoid && { status: "void" as const }),
      ...(partnerId && { partnerId: String(partnerId) }),
    };
    const param = { programId: String(this.#program.id) };
    return search(
      async (cursor) => {
        const { data, meta } = await take(
          api.programs[":programId"].commissions.$get(
            { param, query: { ...query, ...(cursor && { cursor }) } },
            { init: { signal: this.#signal } },
          ),
        );
        const rows = data.map(({ explanation, ...rest }) => ({ ...rest, explanation: readExplanation(explanation) }));
        return { rows, nextCursor: meta.nextCursor };
      },
      { matches, isPast: ({ id }) => id < afterId, limit: 1 },
    );
  }

  async decisions({ id, createdAt }: Commission): Promise<SearchResult<Decision>> {
    const param = { programId: String(this.#program.id) };
    return search(
      async (cursor) => {
        const { data, meta } = await take(
          api.programs[":programId"].audit.$get(
            { param, query: { ...(cursor && { cursor }) } },
            { init: { signal: this.#signal } },
          ),
        );
        return { rows: data, nextCursor: meta.nextCursor };
      },
      {
        matches: ({ subject, action }) => subject === `commission ${id}` && action.startsWith("commission."),
        isPast: ({ at }) => at < createdAt,
      },
    );
  }
}

async function commissionOf(reader: Reader, event: EventOf<"sale" | "refund">): Promise<SearchResult<Commission>> {
  const { partnerCode: code } = event;
  if (event.is_test) return nothing;
  if (event.event_type === "sale") {
    const { commission_id, reason } = event;
    return reader.commission({ code, isVoid: reason !== null }, ({ id }) => id === commission_id, commission_id);
  }
  const isOfSale = ({ transactionId }: Commission) => transactionId === event.transaction_id;
  if (code === null) return reader.commission({ code, isVoid: true }, isOfSale);
  const earned = await reader.commission({ code, isVoid: false }, isOfSale);
  return earned.found.length > 0 ? earned : reader.commission({ code, isVoid: true }, isOfSale);
}

async function storyOfSale(
  reader: Reader,
  event: EventOf<"sale" | "refund">,
  mayReadAudit: boolean,
): Promise<Omit<Facts, "event">> {
  const { is_test: isTest, partnerCode: code, click_id } = event;
  const { found, isComplete } = await commissionOf(reader, event);
  const [commission] = found;
  const sale = event.event_type === "sale" ? event : undefined;
  const soldAt = commission?.explanation.sale.occurredAt ?? event.timestamp;
  const decidedAt = commission?.explanation.decidedAt ?? soldAt;
  const customerKey = commission?.customerKey ?? sale?.customer_key ?? null;
  const clickedAt = commission?.explanation.click?.at;
  const clickRange = clickedAt === undefined ? { to: soldAt } : { from: clickedAt, to: clickedAt };
  const [click, lead, refunds, decisions] = await Promise.all([
    click_id === null
      ? nothing
      : reader.events("click", { isTest, code, ...clickRange }, (each) => each.click_id === click_id, 1),
    customerKey === null
      ? nothing
      : reader.events(
          "lead",
          { isTest, code, to: decidedAt, ...(clickedAt !== undefined && { from: clickedAt }) },
          (each) => each.customer_key === customerKey,
          1,
        ),
    reader.events("refund", { isTest, code, from: soldAt }, (each) => each.transaction_id === event.transaction_id),
    commission !== undefined && mayReadAudit ? reader.decisions(commission) : nothing,
  ]);
  return {
    commission,
    click: click.found[0],
    lead: lead.found[0],
    sales: sale === undefined ? [] : [sale],
    refunds: refunds.found,
    decisions: decisions.found,
    isComplete: [{ isComplete }, click, lead, refunds, decisions].every((each) => each.isComplete),
  };
}

async function storyOfVisitor(reader: Reader, event: EventOf<"click" | "lead">): Promise<Omit<Facts, "event">> {
  const { is_test: isTest, partnerCode: code, click_id, timestamp } = event;
  const from = new Date(Date.parse(timestamp) - toleranceMs).toISOString();
  const [click, leads, sales] = await Promise.all([
    event.event_type === "click" || click_id === null
      ? nothing
      : reader.events("click", { isTest, code, to: timestamp }, (each) => each.click_id === click_id, 1),
    event.event_type === "lead"
      ? nothing
      : reader.events("lead", { isTest, code, from }, (each) => each.click_id === click_id),
    reader.events("sale", { isTest, code, from }, (each) =>
      event.event_type === "lead" && event.customer_key !== null
        ? each.customer_key === event.customer_key
        : click_id !== null && each.click_id === click_id,
    ),
  ]);
  return {
    commission: undefined,
    click: event.event_type === "click" ? event : click.found[0],
    lead: event.event_type === "lead" ? event : leads.found[0],
    sales: sales.found,
    refunds: [],
    decisions: [],
    isComplete: [click, leads, sales].every((each) => each.isComplete),
  };
}

/** Resolves to no facts if the event isn't on the pages that were searched. */
export function useStory(eventRef: EventRef, shown: TrackedEvent | undefined) {
  const { program, may } = useProgram();
  const partners = useAllPartners();
  const isReady = partners.data !== undefined;
  return useQuery(
    `program ${program.id} story ${isReady} ${JSON.stringify(eventRef)}`,
    async (signal): Promise<{ readonly facts: Facts | undefined } | undefined> => {
      if (partners.data === undefined) return undefined;
      const reader = new Reader(program, partners.data, signal);
      const { kind, isTest, at } = eventRef;
      const isEvent = ({ id, event_type }: TrackedEvent) => id === eventRef.id && event_type === kind;
      const [event = shown] = (await reader.events(kind, { isTest, code: null, from: at, to: at }, isEvent, 1)).found;
      if (event === undefined) return { facts: undefined };
      const rest =
        event.event_type === "sale" || event.event_type === "refund"
          ? await storyOfSale(reader, event, may("admin"))
          : await storyOfVisitor(reader, event);
      return { facts: { event, ...rest } };
    },
  );
}
