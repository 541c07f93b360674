import { maxPartnerNote } from "#domain/note.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ApplicationPath } from "../params.ts";
import { declineApplication as decline } from "./decide-application.ts";

const Decline = z
  .object({
    partnerNote: fields.optional(fields.nonBlank("partnerNote", maxPartnerNote)).describe("The applicant sees it."),
  })
  .openapi("DeclineApplication");

const Decided = z.object({ status: z.literal("declined") }).openapi("ApplicationDeclined");

export const declineApplication = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/{applicationId}/decline",
    operationId: "declineApplication",
    tags: ["Partners' access"],
    summary: "Decline an application",
    description: "The account can apply again after 30 days. A repeat changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: ApplicationPath, body: body(Decline) },
    responses: {
      ...returns("Declined", z.object({ data: Decided })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "decided"]),
    },
  }),
  handler: async (c) => {
    const id = readId(c.req.valid("param").applicationId);
    if (id === undefined) return refuse(c, { code: "not_found", what: "application" });
    const decided = await decline(c, id, c.req.valid("json").partnerNote);
    if (!decided.ok) return refuse(c, decided.refusal);

    return c.json({ data: { status: "declined" as const } }, 200);
  },
});
