import type { ApplicationId } from "#domain/ids.ts";
import { maxPartnerNote } from "#domain/note.ts";
import type { RefusalCode } from "#domain/refusal.ts";
import type { Result } from "#domain/result.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { messageOf } from "#http/refusal/table.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { ApplicationDecided } from "#operations/join/decide-application.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { approveApplications as approve, declineApplication } from "./decide-application.ts";

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
        id: id(),
        result: z.enum(["approved", "declined", "refused"]),
        code: z.string().optional().describe("Refusal code."),
        message: z.string().optional().describe("Reason for the refusal."),
      })
      .openapi("ApplicationOutcome"),
  ),
});

const description =
  "Decides each application by itself and returns one outcome each: one that is refused leaves the others as they are. Counts as one write.";

type Outcome = z.output<typeof Outcomes>["data"][number];

function outcomeOf<Decision extends "approved" | "declined">(
  id: ApplicationId,
  result: Decision,
  decided: Result<ApplicationDecided>,
): Outcome {
  if (decided.ok) return { id, result };
  const { refusal } = decided;
  const code = refusal.code satisfies RefusalCode;
  return { id, result: "refused", code, message: messageOf(refusal, undefined) };
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
    responses: { ...returns("Outcomes", Outcomes), ...refusals([...memberWriteRefusals, ...inputRefusals]) },
  }),
  handler: async (c) => {
    const given = [...new Set(c.req.valid("json").ids)];
    const decided = await approve(c, c.get("program"), given);
    if (!decided.ok) return refuse(c, decided.refusal);
    const data = decided.value.flatMap((outcome, i) => {
      const id = given[i];
      return id === undefined ? [] : [outcomeOf(id, "approved", outcome)];
    });
    return c.json({ data }, 200);
  },
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
    responses: { ...returns("Outcomes", Outcomes), ...refusals([...memberWriteRefusals, ...inputRefusals]) },
  }),
  handler: async (c) => {
    const { ids: given, partnerNote } = c.req.valid("json");
    const data: Outcome[] = [];
    for (const id of new Set(given)) {
      data.push(outcomeOf(id, "declined", await declineApplication(c, id, partnerNote)));
    }
    return c.json({ data }, 200);
  },
});
