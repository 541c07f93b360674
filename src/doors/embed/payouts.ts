import { ownPayout, readOwnPayouts } from "#api/own-payouts.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { cursorOf, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { EmbedHeaders, embedded, embedRefusals } from "./guards.ts";

const pageSize = 50;

const cursors = cursorOf("embed-payouts", { reference: z.string() });

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/payouts",
    operationId: "listEmbedPayouts",
    tags: ["Embed"],
    summary: "List your payouts",
    description: "Lists your amount in each payout: paid, being paid, or failed and payable again.",
    ...embedded("payouts"),
    request: { headers: EmbedHeaders, query: z.object({ cursor: cursors.parameter() }) },
    responses: {
      ...returns(
        `Payouts, newest first, ${pageSize} per page`,
        z.object({ data: z.array(ownPayout.schema), meta: PageMeta }),
      ),
      ...refusals([...embedRefusals, "not_found", "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partner } = c.get("embedded");
    if (partner === undefined) return c.json({ data: [], meta: { nextCursor: null } }, 200);
    const { programId, partnerId } = partner;
    const after = c.req.valid("query").cursor?.reference;
    const found = await readOwnPayouts(c, { programId, partnerId, after }, pageSize);
    if (!found.ok) return refuse(c, found.refusal);
    const { page, next } = found.value;
    const nextCursor = cursors.after(next === undefined ? undefined : { reference: next });
    return c.json({ data: page.map(ownPayout.reply), meta: { nextCursor } }, 200);
  },
});
