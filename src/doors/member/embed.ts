import { EmbedSettings, embedRecord, embedReply, saveCall } from "#api/embed.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { readEmbed } from "#store/views/embeds.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

export const getEmbed = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/embed",
    operationId: "getEmbed",
    tags: ["Management"],
    summary: "Get the settings of the embedded referral page",
    description:
      "Returns the settings of the referral page that you can show inside your own product. Null until they are saved.",
    ...programMember("owner"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The page", z.object({ data: embedRecord.schema.nullable() })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { id } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) => readEmbed(database, id));
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: found.value === undefined ? null : embedReply(found.value) }, 200);
  },
});

export const saveEmbed = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/embed",
    operationId: "saveEmbed",
    tags: ["Management"],
    summary: "Save the settings of the embedded referral page",
    description:
      "Replaces `origins`, and `theme` and `show` if you send them. The first call creates the page. With `endTokens` alone, no setting changes. Repeating the call without `endTokens` changes nothing.",
    ...withJsonBody(programMember("owner")),
    request: { params: ProgramPath, body: body(EmbedSettings) },
    responses: {
      ...returns("The page", z.object({ data: embedRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const member = actingMember(c);
    const saved = await runOperation(c, { ...member, ...saveCall(member.programId, c.req.valid("json")) });
    return saved.ok ? c.json({ data: embedReply(saved.answer) }, 200) : refuse(c, saved.refusal);
  },
});
