import { countNewCode } from "#api/account-limits.ts";
import { callWithDirectory } from "#api/directory.ts";
import { figureDays, OwnLinksWithOfferReply, ownLink, readOwnLink, readOwnLinksWithOffer } from "#api/own-links.ts";
import { newPartnerCode } from "#api/partners.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findPartner } from "#store/views/partners.ts";
import { inputRefusals } from "../member/guards.ts";
import { noPartner, partnerRefusals, partnerSide, partnerWriteRefusals, refusalIfInactive } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

export const listLinks = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "listOwnLinks",
    tags: ["Partner"],
    summary: "List your codes and their links",
    description: `Codes, oldest first, each with its figures of the last ${figureDays} days, which add up to those of the overview. A link can also lead to any other page of the program's website: add the code to its URL.`,
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns("Your codes, and the offer for your customers", OwnLinksWithOfferReply),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const read = await readOwnLinksWithOffer(c, c.get("partner"));
    return read.ok ? c.json(read.value, 200) : refuse(c, read.refusal);
  },
});

const NewCode = z.object({ code: newPartnerCode() }).openapi("NewOwnCode");

export const createLink = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "createOwnLink",
    tags: ["Partner"],
    summary: "Create a code",
    description:
      "The code's link leads to the same page as your other links. You can create at most 5 codes, in at most 20 attempts a day, including refused ones.",
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(NewCode) },
    responses: {
      ...created("Code created", z.object({ data: ownLink.schema })),
      ...refusals([...partnerWriteRefusals, ...inputRefusals, "code_taken", "links_full", "inactive"]),
    },
  }),
  handler: async (c) => {
    const side = c.get("partner");
    const { programId, partnerId, shard } = side;
    const refusal = refusalIfInactive(side) ?? (await countNewCode(c, `${programId} ${partnerId}`));
    if (refusal !== undefined) return refuse(c, refusal);
    const { code } = c.req.valid("json");
    const by = { ...c.get("call"), actorId: c.get("accountId"), madeBy: "partner" } as const;
    const create = { ...by, kind: "create-link", programId, partnerId, code } as const;
    const before = await readFromDatabase(c, "program", (database) => findPartner(database, programId, partnerId));
    if (!before.ok) return refuse(c, before.refusal);
    if (before.value === undefined) return refuse(c, noPartner);
    const { destinationUrl } = before.value;
    const outcome = await callWithDirectory(c, { id: programId, shard }, create, {
      adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl, is: "new" }] },
    });
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const made = await readOwnLink(c, { programId, partnerId, code });
    return made.ok ? c.json({ data: made.value }, 201) : refuse(c, made.refusal);
  },
});
