import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { longText, Terms } from "./join-record.ts";

const NewTerms = z.object({ text: longText("text", 20_000, 1) }).openapi("NewPartnerTerms");

export const createTerms = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/terms",
    operationId: "createPartnerTerms",
    tags: ["Partners' access"],
    summary: "Publish a version of the terms for partners",
    description:
      "Partners are asked for it at their next visit; until then nothing is withheld. The newest text again is no new version.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewTerms) },
    responses: {
      ...created("The newest version", z.object({ data: Terms })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "terms_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { text } = c.req.valid("json");
    const create = { ...actingMember(c), kind: "create-terms", text } as const;
    const made = await runOperation(c, create);
    if (!made.ok) return refuse(c, made.refusal);
    const { version, createdAt } = made.answer;
    return c.json({ data: { version, text, createdAt: timestamp(createdAt) } }, 201);
  },
});
