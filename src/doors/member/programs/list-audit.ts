import { readFromDatabase } from "#api/read-database.ts";
import { withNames } from "#api/with-names.ts";
import { endOfDay, startOfDay } from "#domain/calendar.ts";
import { ok } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { listAudit as list } from "#store/views/audit.ts";
import { actingMember } from "../actor.ts";
import { auditRecord, withTexts } from "../audit-record.ts";
import { downloadPages } from "../download-pages.ts";
import { type ExportColumns, exportHeaders, format, okOrFile, periodName } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { day, inOrder } from "../reports/query.ts";

const pageSizes = { json: 50, csv: 500 };

const cursors = idCursor("audit");

const Query = z
  .object({
    actor: fields.nonBlank("actor").optional().openapi({ description: "Limits the result to this user's changes." }),
    kind: fields
      .oneOf("kind", [
        "program",
        "key",
        "partner",
        "group",
        "coupon",
        "link",
        "customer",
        "rows",
        "policy",
        "sale",
        "commission",
        "payout",
        "adjustment",
        "application",
        "join_page",
        "terms",
        "partner_access",
        "partner_invitation",
      ])
      .optional()
      .openapi({ description: "Limits the result to actions that begin with this word." }),
    dateFrom: day("dateFrom").optional().describe("First day, in the program's time zone."),
    dateTo: day("dateTo").optional().describe("Last day, inclusive."),
    cursor: cursors.parameter(),
    format: format(),
  })
  .refine(...inOrder());

const entryRecord = auditRecord.extend("ProgramAuditEntry", {
  subjectName: z
    .string()
    .nullable()
    .describe(
      "The partner's or group's name, the coupon's first code, the customer's key, the `transaction_id` of the sale or of the commission's, or the payout's reference.",
    ),
  partnerName: z
    .string()
    .nullable()
    .describe("Name of the partner whose payment failed, or who was given the customer or the coupon."),
  currency: z.string().nullable().describe("Of a commission or payout: the currency of its amounts."),
});

const { before, after, ...plainColumns } = entryRecord.columns(
  ...([
    "id",
    "at",
    "actor",
    "actorName",
    "action",
    "subject",
    "subjectName",
    "partnerName",
    "before",
    "after",
  ] as const),
);

const jsonText = (value: unknown): string => (value === null ? "" : JSON.stringify(value));

const columns: ExportColumns<Parameters<typeof entryRecord.reply>[0]> = {
  ...plainColumns,
  before: (entry) => jsonText(before(entry)),
  after: (entry) => jsonText(after(entry)),
};

export const listAudit = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/audit",
    operationId: "listAudit",
    tags: ["Management"],
    summary: "List a program's audit entries",
    description:
      "With filters, a page may hold fewer entries than there are, even none: as long as `nextCursor` isn't null, older ones are left to search.",
    ...programMember("admin"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile(
        `Audit entries, newest first, up to ${pageSizes.json} per page`,
        z.object({ data: z.array(entryRecord.schema), meta: PageMeta }),
        columns,
      ),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { cursor = newest, format = "json", actor = null, kind = null, dateFrom, dateTo } = c.req.valid("query");
    const { id: programId, timezone } = c.get("program");
    const from = dateFrom === undefined ? null : startOfDay(timezone, dateFrom);
    const until = dateTo === undefined ? null : endOfDay(timezone, dateTo);
    const filter = { actorId: actor, kind, from, until };
    const size = pageSizes[format];
    const readFrom = async ({ id: before }: typeof newest) => {
      const read = await readFromDatabase(c, "program", (database) =>
        list(database, programId, filter, { before, limit: size + 1 }),
      );
      if (!read.ok) return read;
      const named = await withNames(c, read.value.entries, "actorId", "actorName");
      if (!named.ok) return named;
      const entries = named.value.map(withTexts);
      const { searchedTo } = read.value;
      return ok(
        entries.length > size
          ? cursors.pageOf(entries, size, (last) => last)
          : cursors.pageUntil(entries, searchedTo === undefined ? undefined : { id: searchedTo }),
      );
    };
    if (format === "csv") {
      const file = await downloadPages(c, actingMember(c), columns, (after: typeof newest = newest) => readFrom(after));
      if (!file.ok) return refuse(c, file.refusal);
      const headers = exportHeaders(c.get("program"), "audit", kind ?? "", periodName(dateFrom, dateTo));
      return c.body(textStream(file.value.parts), 200, headers);
    }
    const read = await readFrom(cursor);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return c.json({ data: page.map(entryRecord.reply), meta }, 200);
  },
});
