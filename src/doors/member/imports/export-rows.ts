import { exportContent, exportRows as exportFrom, kindField } from "#api/imports/export-rows.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "../actor.ts";
import { byteOrderMark, exportHeaders } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { seesEmails } from "../sees-emails.ts";

const Query = z.object({ kind: kindField() });

export const exportRows = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/export",
    operationId: "exportRows",
    tags: ["Management"],
    summary: "Export partners or customers",
    description:
      "A CSV file that an import takes as it is. Imported into an empty program, it exports the same again. Only owners " +
      "and admins get email addresses.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      200: { description: "The file", content: exportContent },
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { kind } = c.req.valid("query");
    const program = c.get("program");
    const showsEmail = seesEmails(c.get("membership"));
    const file = await exportFrom(c, kind, { ...actingMember(c), showsEmail, start: byteOrderMark });
    if (!file.ok) return refuse(c, file.refusal);
    return c.body(textStream(file.value.parts), 200, exportHeaders(program, kind));
  },
});
