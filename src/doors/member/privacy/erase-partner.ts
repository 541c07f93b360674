import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { Erased } from "./erasure-record.ts";

const PartnerErasure = z
  .object({
    confirm: z.literal(true, "confirm must be true"),
    writeOff: z
      .literal(true, "writeOff must be true")
      .optional()
      .describe("Brings a negative balance to 0 by an adjustment, in the same commit."),
  })
  .openapi("PartnerErasure");

export const erasePartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/erase",
    operationId: "erasePartner",
    tags: ["Privacy"],
    summary: "Erase a partner",
    description:
      "Name, address, external id, payment details, answers, notes and access go; a line that was paid keeps the name. The " +
      "partner is called `Partner` and its number in the order in which the program's partners were created, stays " +
      "paused, and its codes and coupons stay taken. Refused while any balance isn't 0. It can't be undone.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: PartnerPath, body: body(PartnerErasure) },
    responses: {
      ...returns("Erased", z.object({ data: Erased })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "person_not_found", "money_open"]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, { code: "not_found", what: "partner" });
    const writesOff = c.req.valid("json").writeOff === true;
    const erase = { ...actingMember(c), kind: "erase-partner", partnerId, writesOff } as const;
    const erased = await runOperation(c, erase);
    if (!erased.ok) return refuse(c, erased.refusal);
    const { receiptId, erasedAt, rows } = erased.answer;
    return c.json({ data: { receiptId, erasedAt: timestamp(erasedAt), rows } }, 200);
  },
});
