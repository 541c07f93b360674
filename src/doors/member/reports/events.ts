import { readFromDatabase } from "#api/read-database.ts";
import { type EventKind, eventKinds } from "#domain/event-page.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readEvents } from "#store/reports/events.ts";
import { memberRefusals, programMember } from "../guards.ts";
import * as narrowing from "../narrowing.ts";
import { ProgramPath } from "../params.ts";
import { EventReply, eventReply } from "./event-record.ts";
import { day, inOrder, partnerId } from "./query.ts";

const maxPageSize = 100;
/** A numbered page costs as much as all pages before it; a cursor costs only its own page. */
const maxByNumber = 1_000;
const tooFar = `page must be within the newest ${maxByNumber} events. Use cursor for older ones.`;

interface PageQuery {
  readonly page?: unknown;
  readonly pageSize?: unknown;
  readonly cursor?: unknown;
}
const isWithinReach = ({ page, pageSize, cursor }: PageQuery): boolean =>
  cursor !== undefined ||
  typeof page !== "number" ||
  typeof pageSize !== "number" ||
  page > maxByNumber ||
  page * pageSize <= maxByNumber;

const books = { exclude: [false], only: [true], include: [false, true] } as const;

/** By the last event of a page, so that events recorded meanwhile don't shift the next one. */
const cursors = cursorOf("events", {
  kind: z.enum(eventKinds),
  id: z.int().positive(),
  occurredAt: z.int(),
});

const Query = z
  .object({
    page: fields
      .integerText("page", 1, maxByNumber)
      .default(1)
      .describe(`Page number, within the newest ${maxByNumber} events.`),
    pageSize: fields.integerText("pageSize", 1, maxPageSize).default(10),
    cursor: cursors.parameter("nextCursor", " Takes precedence over `page`."),
    eventType: fields
      .oneOf("eventType", ["click", "lead", "sale", "refund", "conversion"])
      .optional()
      .describe("`conversion` means `sale`."),
    dateFrom: day("dateFrom").optional(),
    dateTo: day("dateTo").optional().describe("Last day of the range, inclusive."),
    partnerId: partnerId(),
    saleId: narrowing.saleId(),
    commissionId: narrowing.commissionId(),
    transactionId: narrowing.transactionId(),
    customerKey: narrowing.customerKey(),
    test: fields.oneOf("test", ["exclude", "only", "include"]).default("exclude"),
  })
  .refine(...fields.rule(["page"], tooFar, isWithinReach))
  .refine(...inOrder());

const EventsReply = z
  .object({
    data: z.array(EventReply),
    meta: z.object({
      pagination: z.object({
        page: int32().describe("The requested page. Not meaningful with `cursor`."),
        pageSize: int32(),
        pageCount: int32(),
        total: int64().describe("Number of events that match the query, including clicks by bots."),
        nextCursor: z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page."),
      }),
    }),
  })
  .openapi("Events");

export const events = endpoint({
  route: createRoute({
    method: "get",
    path: "/events/{programId}",
    operationId: "listEvents",
    tags: ["Dashboard"],
    summary: "List a program's events",
    description:
      "Clicks, leads, sales and refunds, newest first. Days are in the program's time zone and fixed when an event is " +
      "recorded. Test events include those created by verification.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("A page of events", EventsReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { page, pageSize, cursor, ...query } = c.req.valid("query");
    const start = cursor === undefined ? (page - 1) * pageSize : 0;
    const filter = {
      books: books[query.test].map((isTest) => ({ programId: c.get("program").id, isTest })),
      kinds: kindsOf(query.eventType),
      days: { from: query.dateFrom ?? "0000-01-01", to: query.dateTo ?? "9999-12-31" },
      partnerId: query.partnerId,
      narrowing: narrowing.narrowingOf(query),
      after: cursor,
      limit: start + pageSize + 1,
    };
    const found = await readFromDatabase(c, "program", (database) => readEvents(database, filter));
    if (!found.ok) return refuse(c, found.refusal);

    const { events, total } = found.value;
    const pageEvents = events.slice(start, start + pageSize);
    const last = events.length > start + pageSize ? pageEvents.at(-1) : undefined;
    const pageCount = Math.ceil(total / pageSize);
    const pagination = { page, pageSize, pageCount, total, nextCursor: cursors.after(last) };
    return c.json({ data: pageEvents.map(eventReply), meta: { pagination } }, 200);
  },
});

const kindsOf = (eventType: EventKind | "conversion" | undefined): readonly EventKind[] =>
  eventType === undefined ? eventKinds : [eventType === "conversion" ? "sale" : eventType];
