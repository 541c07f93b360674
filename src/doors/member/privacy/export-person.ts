import { runOperation } from "#http/call-ledger.ts";
import { accepted, body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { Requested } from "./erasure-record.ts";
import { exportRequestId } from "./export-request.ts";
import { PersonAsked, personMeant, personRefusals } from "./person.ts";
import { PersonRow, personFile } from "./person-lines.ts";

export const exportPerson = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/privacy/export",
    operationId: "exportPerson",
    tags: ["Privacy"],
    summary: "Export what is known of a customer",
    description:
      "Whoever is known by the key, the address or the click, in both books. Above 1,000 rows the answer is 202 with a " +
      "`requestId`, by which you get the rows within an hour. The audit trail says that it was done.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(PersonAsked) },
    responses: {
      200: { description: "A row in each line", content: { "application/jsonl": { schema: PersonRow } } },
      ...accepted("Get the rows by the request", z.object({ data: Requested })),
      ...refusals([...personRefusals, "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const member = actingMember(c);
    const { programId } = member;
    const call = { ...member, kind: "export-person", ...personMeant(c, programId, c.req.valid("json")) } as const;
    const asked = await runOperation(c, call);
    if (!asked.ok) return refuse(c, asked.refusal);
    const { isLarge } = asked.answer;
    if (isLarge) return c.json({ data: { requestId: await exportRequestId(c, call) } }, 202);
    const file = await personFile(c, asked.answer.rows, call);
    return file.ok ? file.value : refuse(c, file.refusal);
  },
});
