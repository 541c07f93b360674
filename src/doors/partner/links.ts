import { countNewCode } from "#api/account-limits.ts";
import { callWithDirectory } from "#api/directory.ts";
import { ownLink, ownLinks, ownLinkWithFigures } from "#api/own-links.ts";
import { newPartnerCode } from "#api/partners.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { daysEnding } from "#domain/performance.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { noFigures, readLinkFigures } from "#store/reports/link-figures.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { inputRefusals } from "../member/guards.ts";
import { noPartner, partnerRefusals, partnerSide, partnerWriteRefusals, refusalIfInactive } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const figureDays = 30;

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
      ...returns(
        "Your codes",
        z.object({
          data: z.array(ownLinkWithFigures.schema),
          meta: z.object({
            websiteUrl: z.string().nullable().describe("Website of the program."),
            dateFrom: z.string(),
            dateTo: z.string(),
            currency: z.string(),
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
