import { downloadPages } from "#api/download-pages.ts";
import { type ExportColumns, exportHeaders, format, okOrFile, periodName } from "#api/export-file.ts";
import { day, inOrder } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { readPage } from "#api/read-page.ts";
import { StoredJson, storedJson } from "#api/stored-json.ts";
import { withNames } from "#api/with-names.ts";
import { endOfDay, startOfDay } from "#domain/calendar.ts";
import type { Via as ProposedBy } from "#domain/proposal.ts";
import { ok } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { listWorkspaceAudit as readWorkspaceAudit } from "#store/accounts/workspace-audit.ts";
import { listAudit as readAudit } from "#store/views/audit.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember, workspaceMember } from "./guards.ts";
import { ProgramPath, WorkspacePath } from "./params.ts";

const auditRecord = record("AuditEntry", {
  id: id(),
  at: from("createdAt", instant()),
  actor: from(
    "actorId",
    z
      .string()
      .describe(
        "Id of the user who made the change, `key <id>` for a call with an API key, or `embed <id>` for the embedded page with a token that this key requested.",
      ),
  ),
  actorName: z.string().nullable(),
  action: z.string().openapi({ example: "partner.updated" }),
  subject: z.string().openapi({ example: "partner 12" }),
  before: StoredJson.nullable(),
  after: StoredJson.nullable(),
});

interface Stored {
  readonly before: string | null;
  readonly after: string | null;
  /** JSON object: texts by note id, for the notes to which `before` and `after` refer. */
  readonly notes?: string;
}

/** Replaces each reference to a note by the note's text. Null if an erasure deleted the text. */
function withTexts<Entry extends Stored>(entry: Entry) {
  const texts = new Map(Object.entries(JSON.parse(entry.notes ?? "{}") as Record<string, string | null>));
  const read = (stored: string | null) =>
    stored === null
      ? null
      : Object.fromEntries(
          Object.entries(storedJson(stored)).map(([field, value]) => [
            field,
            isNote(value) ? (texts.get(String(value.note)) ?? null) : value,
          ]),
        );
  return { ...entry, before: read(entry.before), after: read(entry.after) };
}

const isNote = (value: unknown): value is { readonly note: number } =>
  typeof value === "object" && value !== null && "note" in value;

const Via = z
  .object({
    keyId: id(),
    keyName: z.string().nullable(),
    reason: z.string().nullable().describe("Reason sent with the proposal. Null if an erasure deleted it."),
    changed: z.boolean().describe("True if the member changed the proposed terms."),
  })
  .openapi("AuditVia");

interface Proposed {
  readonly via: string | null;
  readonly viaName: string | null;
}

/** An erasure removes the reason. */
const parsed = (via: string): Omit<ProposedBy, "reason"> & { readonly reason?: string | null } => JSON.parse(via);

function viaOf({ via, viaName }: Proposed): z.output<typeof Via> | null {
  if (via === null) return null;
  const { keyId, reason = null, isChanged } = parsed(via);
  return { keyId, keyName: viaName, reason, changed: isChanged };
}

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
        "bonus",
        "claim",
        "offer",
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
        "embed",
        "terms",
        "partner_access",
        "partner_invitation",
      ])
      .optional()
      .openapi({ description: "Limits the result to actions that begin with this word." }),
    dateFrom: day("dateFrom").optional().describe("First day, in the program's time zone."),
    dateTo: day("dateTo").optional().describe("Last day of the range, inclusive."),
    cursor: cursors.parameter(),
    format: format(),
  })
  .refine(...inOrder());

const programEntry = auditRecord.extend("ProgramAuditEntry", {
  subjectName: z
    .string()
    .nullable()
    .describe(
      "Name of the changed object: the partner's or group's name, the coupon's first code, the customer's key, the `transaction_id` of the sale or of the commission's sale, the payout's reference, or for a claim the `transaction_id` of the credited sale or else the reported day.",
    ),
  partnerName: z
    .string()
    .nullable()
    .describe(
      "Name of the partner whose payout line was settled or failed, or whose claim it is, or to whom the customer or the coupon was assigned.",
    ),
  currency: z.string().nullable().describe("For a commission or payout: the currency of its amounts."),
  via: Via.nullable().describe("The API key that proposed the change to the user. Null if none did."),
});

const { before, after, via, ...plainColumns } = programEntry.columns(
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
  "via",
);

const jsonText = (value: unknown): string => (value === null ? "" : JSON.stringify(value));

const columns: ExportColumns<Parameters<typeof programEntry.reply>[0]> = {
  ...plainColumns,
  before: (entry) => jsonText(before(entry)),
  after: (entry) => jsonText(after(entry)),
  via: (entry) => jsonText(via(entry)),
};

export const listAudit = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/audit",
    operationId: "listAudit",
    tags: ["Management"],
    summary: "List a program's audit entries",
    description:
      "With filters, a page can have few entries or none although older entries match. Continue until `nextCursor` is null.",
    ...programMember("admin"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile(
        `Audit entries, newest first, up to ${pageSizes.json} per page`,
        z.object({ data: z.array(programEntry.schema), meta: PageMeta }),
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
        readAudit(database, programId, filter, { before, limit: size + 1 }),
      );
      if (!read.ok) return read;
      const named = await withNames(c, read.value.entries, "actorId", "actorName");
      if (!named.ok) return named;
      const entries = named.value.map((entry) => ({ ...withTexts(entry), via: viaOf(entry) }));
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
    return c.json({ data: page.map(programEntry.reply), meta }, 200);
  },
});

const pageSize = 50;

const workspaceCursors = idCursor("workspace audit");

const WorkspaceQuery = z.object({ cursor: workspaceCursors.parameter() });

const workspaceEntry = auditRecord.extend("WorkspaceAuditEntry", {
  actorEmail: z
    .string()
    .nullable()
    .describe("Email address of the actor's account. It identifies the user, who can choose any name."),
  action: z.string().openapi({ example: "invitation.revoked" }),
  subject: z.string().describe("Id of the member, invitation or workspace that changed."),
  subjectName: z.string().nullable().describe("The member's name."),
  subjectEmail: z.string().nullable().describe("The member's email address, or the one that the invitation is for."),
});

export const listWorkspaceAudit = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/audit",
    operationId: "listWorkspaceAudit",
    tags: ["Management"],
    summary: "List a workspace's audit entries",
    description:
      "Changes to the workspace, its members and invitations. Entries store ids; names and email addresses are looked up when the list is read.",
    ...workspaceMember("owner"),
    request: { params: WorkspacePath, query: WorkspaceQuery },
    responses: {
      ...returns(
        `Audit entries, newest first, ${pageSize} per page`,
        z.object({ data: z.array(workspaceEntry.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest } = c.req.valid("query");
    const found = await readPage(c, "home", { ...workspaceCursors, size: pageSize }, (database, limit) =>
      readWorkspaceAudit(database, c.get("workspace").id, before, limit),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map((entry) => workspaceEntry.reply(withTexts(entry))), meta }, 200);
  },
});
