import { createRoute } from "@hono/zod-openapi";
import { type EventKind, eventKinds } from "../../../domain/event-page.ts";
import { ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { memberRefusals, sessionRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import { oneOf, wholeText } from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { readEvents } from "../../../store/reports/events.ts";
import { readFromDatabase } from "../../read-database.ts";
import { programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { cursorAfter, eventCursor } from "./event-cursor.ts";
import { EventReply, eventReply } from "./event-reply.ts";
import { day, inOrder, partnerId } from "./query.ts";

const maxPageSize = 100;
/** A page by its number costs as much as all before it; a cursor costs what the page itself does. */
const maxByNumber = 1_000;
const farPage = `page must be within the newest ${maxByNumber} events. Use cursor for older ones.`;

interface Place {
  readonly page?: unknown;
  readonly pageSize?: unknown;
  readonly cursor?: unknown;
}
/** A page that is none has a fault of its own. */
const isNear = ({ page, pageSize, cursor }: Place): boolean =>
  cursor !== undefined ||
  typeof page !== "number" ||
  typeof pageSize !== "number" ||
  page > maxByNumber ||
  page * pageSize <= maxByNumber;

const books = { exclude: [false], only: [true], include: [false, true] } as const;

const Query = z
  .object({
    page: wholeText("page", 1, maxByNumber)
      .default(1)
      .describe(`Page number, within the newest ${maxByNumber} events.`),
    pageSize: wholeText("pageSize", 1, maxPageSize).default(10),
    cursor: eventCursor(),
    eventType: oneOf("eventType", ["click", "lead", "sale", "refund", "conversion"])
      .optional()
      .describe("`conversion` means `sale`."),
    dateFrom: day("dateFrom").optional(),
    dateTo: day("dateTo").optional().describe("Last day of the range, inclusive."),
    partnerId: partnerId(),
    test: oneOf("test", ["exclude", "only", "include"]).default("exclude"),
  })
  .refine(...wire.rule(["page"], farPage, isNear))
  .refine(...inOrder());

const EventsReply = z
  .object({
    data: z.array(EventReply),
    meta: z.object({
      pagination: z.object({
        page: z.int().describe("The requested page. Not meaningful with `cursor`."),
        pageSize: z.int(),
        pageCount: z.int(),
        total: z.int().describe("Number of events that match the query, including clicks by bots."),
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
      ...ok("A page of events", EventsReply),
      ...refusals(undefined, [...memberRefusals, "invalid_input", ...sessionRefusals]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { page, pageSize, cursor, ...query } = c.req.valid("query");
    const start = cursor === undefined ? (page - 1) * pageSize : 0;
    const asked = {
      books: books[query.test].map((isTest) => ({ programId: c.get("program").id, isTest })),
      kinds: kindsOf(query.eventType),
      days: { from: query.dateFrom ?? "0000-01-01", to: query.dateTo ?? "9999-12-31" },
      partnerId: query.partnerId,
      after: cursor,
      limit: start + pageSize + 1,
    };
    const found = await readFromDatabase(c, (database) => readEvents(database, asked));
    if (!found.ok) return refuse(c, found.refusal);

    const { events, total } = found.value;
    const shown = events.slice(start, start + pageSize);
    const last = events.length > start + pageSize ? shown.at(-1) : undefined;
    const nextCursor = last === undefined ? null : cursorAfter(last);
    const pagination = { page, pageSize, pageCount: Math.ceil(total / pageSize), total, nextCursor };
    return c.json({ data: shown.map(eventReply), meta: { pagination } }, 200);
  },
});

const kindsOf = (eventType: EventKind | "conversion" | undefined): readonly EventKind[] =>
  eventType === undefined ? eventKinds : [eventType === "conversion" ? "sale" : eventType];
