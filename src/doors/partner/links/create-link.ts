import { callWithDirectory } from "#api/directory.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { countNewCode } from "../../member/auth/limits.ts";
import { inputRefusals } from "../../member/guards.ts";
import { newPartnerCode } from "../../member/partners/partner-record.ts";
import { noPartner, partnerSide, partnerWriteRefusals, refusalIfInactive } from "../guards.ts";
import { PartnerSidePath } from "../params.ts";
import { ownLink, ownLinks } from "./own-link.ts";

const NewCode = z.object({ code: newPartnerCode() }).openapi("NewOwnCode");

export const createLink = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "createOwnLink",
    tags: ["Partner"],
    summary: "Create a code",
    description:
      "Its link leads to the same page as your other ones. You can create at most 5 codes, and try 20 a day, refused ones included.",
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
    const refusal = refusalIfInactive(side) ?? (await countNewCode(c, programId, partnerId));
    if (refusal !== undefined) return refuse(c, refusal);
    const { code } = c.req.valid("json");
    const by = { ...c.get("call"), actorId: c.get("accountId"), madeBy: "partner" } as const;
    const create = { ...by, kind: "create-link", programId, partnerId, code } as const;
    const read = () =>
      readFromDatabase(c, "program", (database) => findPartnerWithLinks(database, programId, partnerId));
    const before = await read();
    if (!before.ok) return refuse(c, before.refusal);
    if (before.value.partner === undefined) return refuse(c, noPartner);
    const { destinationUrl, websiteUrl } = before.value.partner;
    const outcome = await callWithDirectory(c, { id: programId, shard }, create, {
      adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl, is: "new" }] },
    });
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const after = await read();
    if (!after.ok) return refuse(c, after.refusal);
    const made = ownLinks(after.value.links, { websiteUrl }).find((link) => link.code === code);
    return made === undefined ? refuse(c, { code: "internal" }) : c.json({ data: ownLink.reply(made) }, 201);
  },
});
