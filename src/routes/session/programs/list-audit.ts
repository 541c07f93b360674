import { dateUtc, dayMs, startOfDay } from "../../../domain/calendar.ts";
import { csvPages } from "../../../http/csv-pages.ts";
import { createRoute, endpoint, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { idCursor, newest, PageMeta, pageOf, pageUntil } from "../../../http/schema/cursor.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { type AuditEntryView, listAudit as list } from "../../../store/views/audit.ts";
import { readFromDatabase } from "../../read-database.ts";
import { AuditEntry, entryReply } from "../audit-entry-reply.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { day, inOrder } from "../reports/query.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z
  .object({
    actor: fields.nonBlank("actor").optional().openapi({ description: "Limits the result to this user's changes." }),
    kind: fields
      .oneOf("kind", ["program", "key", "partner", "policy", "commission"])
      .optional()
      .openapi({ description: "Limits the result to actions that begin with this word." }),
    dateFrom: day("dateFrom").optional().describe("First day, in the program's time zone."),
    dateTo: day("dateTo").optional().describe("Last day, inclusive."),
    cursor: idCursor(),
    format: fields
      .oneOf("format", ["json", "csv"])
      .optional()
      .openapi({ description: "`csv` returns all pages in one file." }),
  })
  .refine(...inOrder());

const ProgramAuditEntry = AuditEntry.extend({
  subjectName: z.string().nullable().describe("The partner's name, or the `transaction_id` of the commission's sale."),
}).openapi("ProgramAuditEntry");

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
      200: {
        description: `Audit entries, newest first, up to ${pageSizes.json} per page`,
        content: {
          "application/json": { schema: z.object({ data: z.array(ProgramAuditEntry), meta: PageMeta }) },
          "text/csv": { schema: z.string() },
        },
      },
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = newest, format = "json", actor = null, kind = null, dateFrom, dateTo } = c.req.valid("query");
    const { id: programId, timezone } = c.get("program");
    const from = dateFrom === undefined ? null : startOfDay(timezone, dateFrom);
    const until = dateTo === undefined ? null : endOfDay(timezone, dateTo);
    const filter = { actorId: actor, kind, from, until };
    const size = pageSizes[format];
    const readFrom = (before: number) =>
      readFromDatabase(c, async (database) => {
        const { entries, searchedTo } = await list(database, programId, filter, { before, limit: size + 1 });
        return entries.length > size ? pageOf(entries, size) : pageUntil(entries, searchedTo);
      });
    const first = await readFrom(cursor);
    if (!first.ok) return refuse(c, first.refusal);
    const { page, meta } = first.value;
    if (format === "json") return c.json({ data: page.map(programEntryReply), meta }, 200);

    const csv = csvPages({ columns, cells }, first.value, async (before) => {
      const next = await readFrom(before);
      // Breaks off the download, so that no one takes it for complete: its status has already been sent.
      if (!next.ok) throw new Error("the database went out of reach in the middle of a list");
      return next.value;
    });
    const headers = {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="audit.csv"',
    };
    return c.body(csv, 200, headers);
  },
});

const endOfDay = (timezone: string, day: string): number =>
  startOfDay(timezone, dateUtc(Date.parse(`${day}T00:00:00Z`) + dayMs));

const programEntryReply = (entry: AuditEntryView) => ({ ...entryReply(entry), subjectName: entry.subjectName });

const columns = ["id", "at", "actor", "actorName", "action", "subject", "subjectName", "before", "after"] as const;

function cells(entry: AuditEntryView): readonly string[] {
  const reply = programEntryReply(entry);
  return columns.map((name) => {
    const value = reply[name];
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  });
}
