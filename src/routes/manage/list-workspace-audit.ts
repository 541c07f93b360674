import { createRoute } from "@hono/zod-openapi";
import { idCursor, newest, PageMeta, pageOf } from "../../http/cursor.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { listWorkspaceAudit as list } from "../../store/workspace-audit.ts";
import { fromDatabase } from "../from-database.ts";
import { workspaceMember } from "../session-access.ts";
import { AuditEntry, entryReply } from "./audit-entry.ts";
import { WorkspacePath } from "./path.ts";

const pageSize = 50;

const Query = z.object({ cursor: idCursor() });

const WorkspaceAuditEntry = AuditEntry.extend({
  actorEmail: z.string().nullable().describe("People choose their names; the address is that of their account."),
  action: z.string().openapi({ example: "invitation.revoked" }),
  subject: z.string().describe("Ids are those of members, invitations and workspaces."),
  subjectName: z.string().nullable().describe("The member's name."),
  subjectEmail: z.string().nullable().describe("The member's address, or the one that the invitation is for."),
}).openapi("WorkspaceAuditEntry");

export const listWorkspaceAudit = endpoint({
  route: createRoute({
    method: "get",
    path: "/workspaces/{workspaceId}/audit",
    operationId: "listWorkspaceAudit",
    tags: ["Management"],
    summary: "List audit entries of a workspace",
    description:
      "Changes of its members and invitations. Names and addresses are looked up when the list is read; entries hold ids.",
    ...workspaceMember("owner"),
    request: { params: WorkspacePath, query: Query },
    responses: {
      ...ok(`The newest first, ${pageSize} a page`, z.object({ data: z.array(WorkspaceAuditEntry), meta: PageMeta })),
      ...refusals(undefined, [...ofMembers, "invalid_input", ...ofSession]),
    },
  }),
  hook: refuseFaults(Query),
  handler: async (c) => {
    const { cursor = newest } = c.req.valid("query");
    const found = await fromDatabase(c, (database) => list(database, c.get("workspace").id, cursor, pageSize + 1));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = pageOf(found.value, pageSize);
    const data = page.map((entry) => {
      const { actorEmail, subjectName, subjectEmail } = entry;
      return { ...entryReply(entry), actorEmail, subjectName, subjectEmail };
    });
    return c.json({ data, meta }, 200);
  },
});
