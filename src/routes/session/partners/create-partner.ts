import { createRoute } from "@hono/zod-openapi";
import { callLedger } from "../../../http/call-ledger.ts";
import { body, created } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { findPartner } from "../../../store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { programMemberAndBody } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { PartnerReply, partnerReply } from "./partner-reply.ts";

const codeRule = "code must be 2 to 64 letters (A-Z, a-z), digits, hyphens or underscores";

const NewPartner = z
  .object({
    name: fields.filled("name"),
    email: wire.optional(fields.email("email")),
    code: z
      .string(codeRule)
      .regex(/^[A-Za-z0-9_-]{2,64}$/, codeRule)
      .describe("Value of `aff` in the partner's link. Unique in the program, ignoring case."),
    destinationUrl: wire.optionalText(wire.webUrl("destinationUrl")).describe("Defaults to the program's website."),
  })
  .openapi("NewPartner");

export const createPartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners",
    operationId: "createPartner",
    tags: ["Management"],
    summary: "Create a partner",
    ...programMemberAndBody("admin"),
    request: { params: ProgramPath, body: body(NewPartner) },
    responses: {
      ...created("Partner created", z.object({ data: PartnerReply })),
      ...refusals(undefined, [
        ...writeRefusals,
        ...memberRefusals,
        ...inputRefusals,
        "code_taken",
        "cap_reached",
        "program_archived",
        ...sessionRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(NewPartner),
  handler: async (c) => {
    const { name, email, code, destinationUrl } = c.req.valid("json");
    const create = { ...actingMember(c), kind: "create-partner", name, email, code, destinationUrl } as const;
    const made = await callLedger(c, create, (ledger) => ledger.change("create-partner", create));
    if (!made.ok) return refuse(c, made.refusal);
    const found = await readFromDatabase(c, (database) =>
      findPartner(database, create.programId, made.answer.partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json({ data: partnerReply(found.value) }, 201) : refuse(c, { code: "internal" });
  },
});
