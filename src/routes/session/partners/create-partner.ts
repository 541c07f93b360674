import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findPartner } from "#store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { callWithDirectory } from "../directory.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { partnerRecord, partnerReply } from "./partner-record.ts";

const codeRule = "code must be 2 to 64 letters (A-Z, a-z), digits, hyphens or underscores";

const NewPartner = z
  .object({
    name: fields.nonBlank("name"),
    email: fields.optional(fields.email("email")),
    code: z
      .string(codeRule)
      .regex(/^[A-Za-z0-9_-]{2,64}$/, codeRule)
      .describe("Value of `aff` in the partner's link. Unique in the program, ignoring case."),
    destinationUrl: fields.optionalText(fields.webUrl("destinationUrl")).describe("Defaults to the program's website."),
  })
  .openapi("NewPartner");

export const createPartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners",
    operationId: "createPartner",
    tags: ["Management"],
    summary: "Create a partner",
    description: "The partner earns commissions from sales through links with their code, from the next click on.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewPartner) },
    responses: {
      ...created("Partner created", z.object({ data: partnerRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "code_taken", "cap_reached", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { name, email, code, destinationUrl } = c.req.valid("json");
    const create = { ...actingMember(c), kind: "create-partner", name, email, code, destinationUrl } as const;
    const outcome = await callWithDirectory(c, create, {
      adds: { changes: {}, code: { codeKey: code.toLowerCase(), destinationUrl, is: "new" } },
    });
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const found = await readFromDatabase(c, "program", (database) =>
      findPartner(database, create.programId, outcome.answer.partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json({ data: partnerReply(found.value, true) }, 201) : refuse(c, { code: "internal" });
  },
});
