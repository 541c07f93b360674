import { cursorField, fromDay, readOwnPage, toDay } from "#api/own-commission-page.ts";
import { filterFields, ownCommission } from "#api/own-commissions.ts";
import { OverviewReply, readOverview } from "#api/own-overview.ts";
import { openPosition, sealPosition } from "#api/own-position.ts";
import { bothDays, day, inOrder, maxDays, ofDays, periodFields } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { Statement as StatementRecord, statementJson } from "#api/statement-record.ts";
import { downloadStatement, readStatement, statementFields } from "#api/statements.ts";
import { currencyOrUnit } from "#api/units.ts";
import type { PartnerId } from "#domain/ids.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { createRoute, endpoint, invalidField, refuse, returns } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/form-fields.ts";
import { pathId } from "#http/schema/id.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import { type OwnPartner, readOwnPartner } from "#store/own-partner.ts";
import { readBy, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply, pageSize } from "./list.ts";

const ReportPath = z.object({ partnerId: pathId("partner", "Id of a partner of the program.") });

const reportRefusals = ["not_found", "invalid_input"] as const;

/** Reads a partner of the key's program. */
const keyedPartner = (c: Parameters<typeof readBy>[0], partnerId: PartnerId): Promise<Result<OwnPartner>> =>
  readBy(c, async ({ programId }) => {
    const read = await readFromDatabase(c, "program", (database) => readOwnPartner(database, programId, partnerId));
    if (!read.ok) return read;
    return read.value === undefined ? refused(notFound("partner")) : ok(read.value);
  });

const range = ["date_from", "date_to"] as const;

const OverviewQuery = z
  .object({
    period: periodFields().period,
    date_from: day("date_from")
      .optional()
      .describe("First day of the range, together with `date_to`. Takes precedence over `period`."),
    date_to: day("date_to").optional().describe("Last day of the range, inclusive."),
    currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
  })
  .refine(...bothDays(...range))
  .refine(...inOrder(...range))
  .refine(...ofDays(maxDays, ...range));

const Reply = z.object({
  data: snakeSchema(OverviewReply.shape.data).openapi("PartnerOverview"),
  meta: snakeSchema(OverviewReply.shape.meta),
  ...warnings,
});

export const getPartnerOverview = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners/{partnerId}/overview",
    operationId: "getPartnerOverview",
    tags: ["Program"],
    summary: "Get a partner's performance and balances",
    description:
      "Performance and balances as the partner sees them, for your own partner pages. Days are in the " +
      "program's time zone and fixed when an event is recorded. Counts include all currencies; amounts are in " +
      "one currency.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: ReportPath, query: OverviewQuery },
    responses: { ...returns("Performance, balances and the next payout", Reply), ...readRefusals(...reportRefusals) },
  }),
  handler: async (c) => {
    const partner = await keyedPartner(c, c.req.valid("param").partnerId);
    if (!partner.ok) return refuse(c, partner.refusal);
    const { date_from: dateFrom, date_to: dateTo, ...others } = c.req.valid("query");
    const read = await readOverview(c, partner.value, { ...others, dateFrom, dateTo });
    return read.ok ? reply(c, inSnakeCase(read.value)) : refuse(c, read.refusal);
  },
});

const CommissionsQuery = z
  .object({
    ...filterFields(),
    date_from: fromDay("date_from"),
    date_to: toDay("date_to"),
    cursor: cursorField("next_cursor"),
  })
  .refine(...inOrder("date_from", "date_to"));

export const listPartnerCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners/{partnerId}/commissions",
    operationId: "listPartnerCommissions",
    tags: ["Program"],
    summary: "List a partner's commissions",
    description:
      "Commissions as the partner sees them, for your own partner pages: without anything that identifies a " +
      "customer. Filters can be combined. Sales that pay no commission are not listed.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: ReportPath, query: CommissionsQuery },
    responses: {
      ...returns(`Commissions, newest first, ${pageSize} per page`, listOf("PartnerCommission", ownCommission.schema)),
      ...readRefusals(...reportRefusals),
    },
  }),
  handler: async (c) => {
    const partner = await keyedPartner(c, c.req.valid("param").partnerId);
    if (!partner.ok) return refuse(c, partner.refusal);
    const { date_from: from, date_to: to, ...query } = c.req.valid("query");
    const read = await readOwnPage(c, partner.value, { ...query, from, to }, pageSize);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, nextCursor } = read.value;
    return reply(c, listReply(page.map(ownCommission.reply), { nextCursor }));
  },
});

const StatementQuery = z
  .object({
    ...statementFields(),
    limit: fields.integerText("limit", 1, 500).optional().describe("Entries per page. Defaults to all."),
    cursor: cursorField("next_cursor"),
  })
  .refine(...inOrder("from", "to"));

const Statement = z.object({
  data: snakeSchema(StatementRecord.shape.data).openapi("PartnerStatement"),
  meta: snakeSchema(
    StatementRecord.shape.meta.extend({
      remaining: int64()
        .optional()
        .describe("Number of further entries of the period, after those returned. Only if `limit` is sent."),
      nextCursor: z
        .string()
        .nullish()
        .describe("Send it as `cursor` to get the next page. Null on the last page. Only if `limit` is sent."),
    }),
  ),
});

export const getPartnerStatement = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners/{partnerId}/statement",
    operationId: "getPartnerStatement",
    tags: ["Program"],
    summary: "Get a partner's statement",
    description:
      "The statement as the partner sees it, for your own partner pages. Has all entries posted in the period, regardless of the day of " +
      "their events, so amounts of past days never change. `opening_cents` plus all entries is `closing_cents`. The sums on each page are those of the whole period.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: ReportPath, query: StatementQuery },
    responses: { ...returns("The statement", Statement), ...readRefusals(...reportRefusals, "download_running") },
  }),
  handler: async (c) => {
    const partner = await keyedPartner(c, c.req.valid("param").partnerId);
    if (!partner.ok) return refuse(c, partner.refusal);
    const { cursor, ...query } = c.req.valid("query");
    const list = `statement ${partner.value.partnerId}`;
    const after = cursor === undefined ? undefined : await openPosition(c, list, cursor);
    if (cursor !== undefined && after === undefined)
      return refuse(c, invalidField("cursor", "cursor must be a next_cursor from a previous page"));
    const read = await readStatement(c, { ...partner.value, sees: () => false }, { ...query, after });
    if (!read.ok) return refuse(c, read.refusal);
    const { head, pages, remaining, last } = read.value;
    const nextCursor = last === undefined ? null : await sealPosition(c, list, last);
    const meta = { ...head.meta, ...(query.limit !== undefined && { remaining, nextCursor }) };
    const by = { programId: partner.value.programId, actorId: c.get("key").hash };
    const file = await downloadStatement(c, by, read.value, statementJson({ ...head, meta }, pages, inSnakeCase));
    if (!file.ok) return refuse(c, file.refusal);
    return jsonStream<z.output<typeof Statement>>(c, file.value.parts, { "Content-Type": "application/json" });
  },
});
