import { ownPayout, readOwnPayouts } from "#api/own-payouts.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { cursorOf, PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { partnerRefusals, partnerSide } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const pageSize = 50;

const cursors = cursorOf("own-payouts", { reference: z.string() });

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/payouts",
    operationId: "listOwnPayouts",
    tags: ["Partner"],
    summary: "List your payouts",
    description: "Lists your amount in each payout: paid, being paid, or failed and payable again.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object({ cursor: cursors.parameter(), ...viewField() }) },
    responses: {
      ...returns(
        `Payouts, newest first, ${pageSize} per page`,
        z.object({ data: z.array(ownPayout.schema), meta: PageMeta }),
      ),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor } = c.req.valid("query");
    const { programId, partnerId } = c.get("partner");
    const found = await readOwnPayouts(c, { programId, partnerId, after: cursor?.reference }, pageSize);
    if (!found.ok) return refuse(c, found.refusal);
    const { page, next } = found.value;
    const nextCursor = cursors.after(next === undefined ? undefined : { reference: next });
    return c.json({ data: page.map(ownPayout.reply), meta: { nextCursor } }, 200);
  },
});
