import { runOperation } from "#http/call-ledger.ts";
import { accepted, body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { eraseRequests } from "./erase-requests.ts";
import { Erased, Requested } from "./erasure-record.ts";
import { namesMeant } from "./names-meant.ts";
import { PersonToErase, personMeant, personRefusals } from "./person.ts";

export const erasePerson = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/privacy/erase",
    operationId: "erasePerson",
    tags: ["Privacy"],
    summary: "Erase a customer",
    description:
      "Whoever is known by the key, the address or the click, in both books: keys and click ids become pseudonyms; pages, " +
      "places, devices, addresses and texts go. Amounts, days, partners and ids of transactions stay, so no sum changes. " +
      "It can't be undone. Up to 1,000 rows are gone with the answer; above, it is 202 with a `requestId`, and the rest is " +
      "erased soon after it.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(PersonToErase) },
    responses: {
      ...returns("Erased", z.object({ data: Erased })),
      ...accepted("It goes on: see the request", z.object({ data: Requested })),
      ...refusals(personRefusals),
    },
  }),
  handler: async (c) => {
    const member = actingMember(c);
    const erase = {
      ...{ ...member, kind: "erase-person" as const },
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
