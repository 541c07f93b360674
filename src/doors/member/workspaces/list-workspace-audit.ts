import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { listWorkspaceAudit as list } from "#store/accounts/workspace-audit.ts";
import { auditRecord, withTexts } from "../audit-record.ts";
import { memberRefusals, workspaceMember } from "../guards.ts";
import { WorkspacePath } from "../params.ts";
import { readPage } from "#api/read-page.ts";

const pageSize = 50;

const cursors = idCursor("workspace audit");

const Query = z.object({ cursor: cursors.parameter() });

const entryRecord = auditRecord.extend("WorkspaceAuditEntry", {
  actorEmail: z.string().nullable().describe("E-mail address of the actor's account. Users choose their names freely."),
  action: z.string().openapi({ example: "invitation.revoked" }),
  subject: z.string().describe("The member, invitation or workspace that changed, by its id."),
  subjectName: z.string().nullable().describe("The member's name."),
  subjectEmail: z.string().nullable().describe("The member's e-mail address, or the one that the invitation is for."),
});

export const listWorkspaceAudit = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/audit",
    operationId: "listWorkspaceAudit",
    tags: ["Management"],
    summary: "List a workspace's audit entries",
    description:
      "Changes to members and invitations. Entries store ids; names and e-mail addresses are looked up when the list is read.",
    ...workspaceMember("owner"),
    request: { params: WorkspacePath, query: Query },
    responses: {
      ...returns(
        `Audit entries, newest first, ${pageSize} per page`,
        z.object({ data: z.array(entryRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest } = c.req.valid("query");
    const found = await readPage(c, "home", { ...cursors, size: pageSize }, (database, limit) =>
      list(database, c.get("workspace").id, before, limit),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map((entry) => entryRecord.reply(withTexts(entry))), meta }, 200);
  },
});
