import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import { noPartner, partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";
import { ownLink, ownLinks } from "./own-link.ts";

export const listLinks = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "listOwnLinks",
    tags: ["Partner"],
    summary: "List your codes and their links",
    description:
      "Oldest first. A link can also lead to any other page of the program's website: add the code to its URL.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...ok(
        "Your codes",
        z.object({
          data: z.array(ownLink.schema),
          meta: z.object({ websiteUrl: z.string().nullable().describe("Of the program.") }),
        }),
      ),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { programId, partnerId } = c.get("partner");
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerWithLinks(database, programId, partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, links } = found.value;
    if (partner === undefined) return refuse(c, noPartner);
    return c.json({ data: ownLinks(links, partner), meta: { websiteUrl: partner.websiteUrl } }, 200);
  },
});
