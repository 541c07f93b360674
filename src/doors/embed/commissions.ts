import { pageFields, readOwnPage } from "#api/own-commission-page.ts";
import { ownCommission } from "#api/own-commissions.ts";
import { inOrder } from "#api/period.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { EmbedHeaders, embedded, embedRefusals } from "./guards.ts";

const pageSize = 50;

const Query = z.object(pageFields()).refine(...inOrder("from", "to"));

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/commissions",
    operationId: "listEmbedCommissions",
    tags: ["Embed"],
    summary: "List your commissions",
    description: "Filters can be combined. Sales that pay no commission are not listed.",
    ...embedded("commissions"),
    request: { headers: EmbedHeaders, query: Query },
    responses: {
      ...returns(
        `Commissions, newest first, ${pageSize} per page`,
        z.object({ data: z.array(ownCommission.schema), meta: PageMeta }),
      ),
      ...refusals([...embedRefusals, "not_found", "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partner } = c.get("embedded");
    if (partner === undefined) return c.json({ data: [], meta: { nextCursor: null } }, 200);
    const read = await readOwnPage(c, partner, c.req.valid("query"), pageSize);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, nextCursor } = read.value;
    return c.json({ data: page.map(ownCommission.reply), meta: { nextCursor } }, 200);
  },
});
