import { readFromDatabase } from "#api/read-database.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, returns, refusals, refuse } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { readBatch } from "#store/database.ts";
import { payoutById } from "#store/payouts.ts";
import { filterOf } from "../../member/commissions/commission-query.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { CommissionList, PayoutCommissionQuery, readCommissions } from "./commissions.ts";
import { pageSize } from "../list.ts";

const PayoutPath = z.object({ payoutId: z.string().describe("Id of a payout of the program.") });

const noPayout = { code: "not_found", what: "payout" } as const;

export const listPayoutCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/payouts/{payoutId}/commissions",
    operationId: "listPayoutCommissions",
    tags: ["Program"],
    summary: "List a payout's commissions",
    description: "Those that the payout has reserved or paid.",
    ...programKeyRequired("keyedList", "read"),
    request: { params: PayoutPath, query: PayoutCommissionQuery },
    responses: {
      ...returns(`Commissions, newest first, ${pageSize} per page`, CommissionList),
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", "not_found", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { programId } = checked.value;
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, noPayout);
    const payout = await readFromDatabase(c, "program", (database) =>
      readBatch(database, { found: payoutById({ programId, id: payoutId }) }),
    );
    if (!payout.ok) return refuse(c, payout.refusal);
    if (payout.value.found === undefined) return refuse(c, noPayout);
    const read = await readCommissions(c, programId, filterOf({ payoutId }), c.req.valid("query").cursor);
    return read.ok ? reply(c, read.value) : refuse(c, read.refusal);
  },
});
