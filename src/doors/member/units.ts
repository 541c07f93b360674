import { NewUnit, readUnits, unitRecord } from "#api/units.ts";
import { caps } from "#domain/caps.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

export const listUnits = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/units",
    operationId: "listUnits",
    tags: ["Management"],
    summary: "List units",
    description: "Units in which partners are rewarded instead of money, such as free months.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Units, by code", z.object({ data: z.array(unitRecord.schema) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const units = await readUnits(c, c.get("program").id);
    return units.ok ? c.json({ data: [...units.value.values()].map(unitRecord.reply) }, 200) : refuse(c, units.refusal);
  },
});

const Reply = z.object({ data: unitRecord.schema });

export const createUnit = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/units",
    operationId: "createUnit",
    tags: ["Management"],
    summary: "Create a unit",
    description: `A unit can't be changed or deleted. Creating the same unit again returns it. A program can have ${caps.units.max} units.`,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewUnit) },
    responses: {
      ...created("Unit created", Reply),
      ...returns("Already created", Reply),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "unit_taken", "units_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const create = { ...actingMember(c), kind: "create-unit", unit: c.req.valid("json") } as const;
    const outcome = await runOperation(c, create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { unit, isNew } = outcome.answer;
    return c.json({ data: unitRecord.reply(unit) }, isNew ? 201 : 200);
  },
});
