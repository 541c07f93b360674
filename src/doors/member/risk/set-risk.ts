import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { Risk, riskColumns } from "./risk-record.ts";

export const setRisk = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/risk",
    operationId: "setRisk",
    tags: ["Management"],
    summary: "Set what makes a commission suspicious",
    description: "For later decisions: what is held stays held until somebody releases it.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Risk) },
    responses: {
      ...returns("The settings", z.object({ data: Risk })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "join_page_open"]),
    },
  }),
  handler: async (c) => {
    const data = c.req.valid("json");
    const isOwner = c.get("membership").role === "owner";
    const update = { ...actingMember(c), kind: "update-program", isOwner, changes: riskColumns(data) } as const;
    const updated = await runOperation(c, update);
    return updated.ok ? c.json({ data }, 200) : refuse(c, updated.refusal);
  },
});
