import type { ApplicationId } from "#domain/ids.ts";
import { maxPartnerNote } from "#domain/note.ts";
import type { RefusalCode } from "#domain/refusal.ts";
import type { Result } from "#domain/result.ts";
import { body, createRoute, endpoint, ok, refusals, withJsonBody } from "#http/endpoint.ts";
import { messageOf } from "#http/refusal/table.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { ApplicationDecided } from "#operations/join/decide-application.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { approveApplication, declineApplication } from "./decide-application.ts";

const maxPerCall = 500;
const idsMessage = `ids must be 1 to ${maxPerCall} ids`;
const ids = () => z.array(fields.programId("ids"), idsMessage).min(1, idsMessage).max(maxPerCall, idsMessage);

const Approvals = z.object({ ids: ids() }).openapi("ApplicationApprovals");
const Declines = z
  .object({ ids: ids(), partnerNote: fields.optional(fields.nonBlank("partnerNote", maxPartnerNote)) })
  .openapi("ApplicationDeclines");

const Outcomes = z.object({
  data: z.array(
    z
      .object({
        id: z.int(),
        result: z.enum(["approved", "declined", "refused"]),
        code: z.string().optional().describe("Refusal code."),
        message: z.string().optional().describe("Reason for the refusal."),
      })
      .openapi("ApplicationOutcome"),
  ),
});

const description =
  "Decides each application by itself and returns one outcome each: one that is refused leaves the others as they are. Counts as one write.";

/** One after the other, so that each code made from a name knows those before it. */
async function decideEach<Decision extends "approved" | "declined">(
  given: readonly ApplicationId[],
  result: Decision,
  decide: (id: ApplicationId) => Promise<Result<ApplicationDecided>>,
) {
  const data = [];
  for (const id of new Set(given)) {
    const decided = await decide(id);
    if (decided.ok) data.push({ id, result });
    else {
      const { refusal } = decided;
      const refused = { code: refusal.code satisfies RefusalCode, message: messageOf(refusal, undefined) };
      data.push({ id, result: "refused" as const, ...refused });
    }
  }
  return { data };
}

export const approveApplications = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/approve",
    operationId: "approveApplications",
    tags: ["Partners' access"],
    summary: "Approve applications",
    description,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Approvals) },
    responses: { ...ok("Outcomes", Outcomes), ...refusals([...memberWriteRefusals, ...inputRefusals]) },
  }),
  handler: async (c) =>
    c.json(
      await decideEach(c.req.valid("json").ids, "approved", (id) => approveApplication(c, c.get("program"), id, null)),
      200,
    ),
});

export const declineApplications = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/decline",
    operationId: "declineApplications",
    tags: ["Partners' access"],
    summary: "Decline applications",
    description,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Declines) },
    responses: { ...ok("Outcomes", Outcomes), ...refusals([...memberWriteRefusals, ...inputRefusals]) },
  }),
  handler: async (c) => {
    const { ids: given, partnerNote } = c.req.valid("json");
    return c.json(await decideEach(given, "declined", (id) => declineApplication(c, id, partnerNote)), 200);
  },
});
