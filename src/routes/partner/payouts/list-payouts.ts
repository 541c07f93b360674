import { createRoute, endpoint, ok, refusals, refuse } from "#http/endpoint.ts";
import { cursorOf, PageMeta } from "#http/schema/cursor.ts";
import { instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { listPartnerPayouts } from "#store/views/partner-payouts.ts";
import { readFromDatabase } from "../../read-database.ts";
import { partnerRefusals, partnerSide } from "../guards.ts";
import { PartnerSidePath, viewField } from "../params.ts";

const pageSize = 50;

/** Of what a partner sees of a payout, its reference alone is unique. */
const cursors = cursorOf("own-payouts", { reference: z.string() });

const ownPayout = record("OwnPayout", {
  reference: z.string(),
  status: z
    .enum(["final", "paid", "failed"])
    .describe("`final`: being paid. `failed`: the payment came back, and its amount is to be paid again."),
  amountCents: z.int(),
  currency: z.string(),
  paidAt: instantOrNull(),
});

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/payouts",
    operationId: "listOwnPayouts",
    tags: ["Partner"],
    summary: "List your payouts",
    description: "What you were paid, or are being paid, in each payout.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object({ cursor: cursors.parameter(), ...viewField() }) },
    responses: {
      ...ok(
        `Payouts, newest first, ${pageSize} per page`,
        z.object({ data: z.array(ownPayout.schema), meta: PageMeta }),
      ),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor } = c.req.valid("query");
    const { programId, partnerId } = c.get("partner");
    const asked = { programId, partnerId, after: cursor?.reference ?? null, limit: pageSize + 1 };
    const found = await readFromDatabase(c, "program", (database) => listPartnerPayouts(database, asked));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = cursors.pageOf(found.value, pageSize, ({ reference }) => ({ reference }));
    return c.json({ data: page.map(ownPayout.reply), meta }, 200);
  },
});
