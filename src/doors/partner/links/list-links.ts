import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { daysEnding } from "#domain/performance.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { noFigures, readLinkFigures } from "#store/reports/link-figures.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { noPartner, partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";
import { ownLinks, ownLinkWithFigures } from "./own-link.ts";

const figureDays = 30;

export const listLinks = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "listOwnLinks",
    tags: ["Partner"],
    summary: "List your codes and their links",
    description: `Oldest first, each with its figures of the last ${figureDays} days. They add up to those of the overview. A link can also lead to any other page of the program's website: add the code to its URL.`,
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns(
        "Your codes",
        z.object({
          data: z.array(ownLinkWithFigures.schema),
          meta: z.object({
            websiteUrl: z.string().nullable().describe("Of the program."),
            ...{ dateFrom: z.string(), dateTo: z.string(), currency: z.string() },
          }),
        }),
      ),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { programId, partnerId, currency, timezone } = c.get("partner");
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerWithLinks(database, programId, partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, links } = found.value;
    if (partner === undefined) return refuse(c, noPartner);
    const days = daysEnding(dayIn(timezone, c.get("call").at), figureDays);
    const figures = await readFromDatabase(c, "program", (database) =>
      readLinkFigures(database, { programId, partnerId, currency, days }, links),
    );
    if (!figures.ok) return refuse(c, figures.refusal);
    const data = ownLinks(links, partner).map((link) =>
      ownLinkWithFigures.reply({ ...link, ...(figures.value.get(link.id) ?? noFigures) }),
    );
    const meta = { websiteUrl: partner.websiteUrl, dateFrom: days.from, dateTo: days.to, currency };
    return c.json({ data, meta }, 200);
  },
});
