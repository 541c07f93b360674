import { commonRefusals, createRoute, endpoint, keyRefusals, returns, refusals, refuse } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { filterOf } from "../../member/commissions/commission-query.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { CommissionList, CommissionQuery, readCommissions } from "./commissions.ts";
import { pageSize } from "../list.ts";

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/commissions",
    operationId: "listCommissions",
    tags: ["Program"],
    summary: "List commissions",
    description: "Of live sales. Filters can be combined.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: CommissionQuery },
    responses: {
      ...returns(`Commissions, newest first, ${pageSize} per page`, CommissionList),
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { cursor, partner_id: partnerId, date_from: dateFrom, date_to: dateTo, ...others } = c.req.valid("query");
    const filter = filterOf({ ...others, partnerId, dateFrom, dateTo });
    const read = await readCommissions(c, checked.value.programId, filter, cursor);
    return read.ok ? reply(c, read.value) : refuse(c, read.refusal);
  },
});
