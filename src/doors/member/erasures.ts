import { eraseRequests, namesMeant } from "#api/persons.ts";
import { runOperation } from "#http/call-ledger.ts";
import { accepted, body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PartnerPath, ProgramPath } from "./params.ts";
import { Erased, PersonToErase, personMeant, personRefusals, Requested } from "./privacy.ts";

export const erasePerson = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/privacy/erase",
    operationId: "erasePerson",
    tags: ["Privacy"],
    summary: "Erase a customer",
    description:
      "Pseudonymizes every customer with this key, address or click, live and test: keys and click ids become " +
      "pseudonyms; pages, places, devices, addresses and texts are deleted. Amounts, days, partners and ids of " +
      "transactions stay, so no sum changes. It can't be undone. Up to 1,000 rows are erased before the " +
      "response. If there are more, the response is 202 with a `requestId`, and they are erased soon after.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(PersonToErase) },
    responses: {
      ...returns("Erased", z.object({ data: Erased })),
      ...accepted("In progress: read the state by the `requestId`", z.object({ data: Requested })),
      ...refusals(personRefusals),
    },
  }),
  handler: async (c) => {
    const member = actingMember(c);
    const erase = {
      ...member,
      kind: "erase-person" as const,
      ...personMeant(c, member.programId, c.req.valid("json")),
    };
    const names = await namesMeant(c, erase);
    if (!names.ok) return refuse(c, names.refusal);
    const erased = await runOperation(c, erase);
    const logged = await eraseRequests(c, { programId: member.programId, names: names.value }, erased);
    if (!logged.ok) return refuse(c, logged.refusal);
    if (!erased.ok) return refuse(c, erased.refusal);
    const { receiptId, erasedAt, rows } = erased.answer;
    if (erasedAt === null) return c.json({ data: { requestId: receiptId } }, 202);
    return c.json({ data: { receiptId, erasedAt: timestamp(erasedAt), rows } }, 200);
  },
});

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
      "Deletes the name, address, external id, payment details, answers, notes and access. Lines of paid payouts keep the name. The partner stays paused and is renamed to `Partner 7`, if it was the program's seventh partner. Its codes and coupons can't be used again. Refused while any balance isn't 0. It can't be undone.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: PartnerPath, body: body(PartnerErasure) },
    responses: {
      ...returns("Erased", z.object({ data: Erased })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "person_not_found", "money_open"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const writesOff = c.req.valid("json").writeOff === true;
    const erase = { ...actingMember(c), kind: "erase-partner", partnerId, writesOff } as const;
    const erased = await runOperation(c, erase);
    if (!erased.ok) return refuse(c, erased.refusal);
    const { receiptId, erasedAt, rows } = erased.answer;
    return c.json({ data: { receiptId, erasedAt: timestamp(erasedAt), rows } }, 200);
  },
});
