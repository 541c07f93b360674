import { couponRecord } from "#api/coupons.ts";
import { readExplanation, toOwner } from "#api/explain/explanation.ts";
import { lookup, lookupsOf } from "#api/explain/lookups.ts";
import { CamelQuery, explainRequest } from "#api/explain/query.ts";
import { Explanation } from "#api/explain/reply.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { countExplained, countUser } from "#http/rate-limits.ts";
import { camelSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { ExplainKey, ExplainRequest } from "#store/reports/explain.ts";
import type { IdsOfPrefix } from "#store/reports/id-prefixes.ts";
import { readSearch } from "#store/reports/search.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

export const explain = endpoint({
  route: createRoute({
    method: "get",
    path: "/explain/{programId}",
    operationId: "explainEvent",
    tags: ["Dashboard"],
    summary: "Explain an event or a commission",
    description:
      "Returns the same object as `/api/v1/programs/me/explain`, with names in camelCase and remedies in the words of the dashboard.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: CamelQuery },
    responses: {
      ...returns("Explanation", camelSchema(Explanation).openapi("Explanation")),
      ...refusals([...memberRefusals, "invalid_input", "nothing_to_explain"]),
    },
  }),
  handler: async (c) => {
    const { clickId, leadId, saleId, commissionId, transactionId, refundId, customerKey, testMode, cursor } =
      c.req.valid("query");
    const query = {
      click_id: clickId,
      lead_id: leadId,
      sale_id: saleId,
      commission_id: commissionId,
      cursor,
      transaction_id: transactionId,
      refund_id: refundId,
      customer_key: customerKey,
      test_mode: testMode,
    };
    const request = explainRequest(query, c.get("program").id);
    const explained = await readExplanation(c, actingMember(c), request, toOwner);
    if (!explained.ok) return refuse(c, explained.refusal);
    await countExplained(explained.value.verdict.sums, () => countUser(c, c.get("userId")));
    return c.json(explained.value, 200);
  },
});

const Query = z.object({
  q: fields
    .callerId("q")
    .describe(
      "A transaction id, customer key, click id or number, a coupon's code, the `ref` of a commission that its partner quotes, or a refund as `order-17 / refund-3`.",
    ),
});

const names = {
  click: "clickId",
  lead: "leadId",
  sale: "saleId",
  commission: "commissionId",
  transaction: "transactionId",
  customer: "customerKey",
} as const satisfies Record<ExplainKey, string>;

const testMode = z.literal("true").optional();
const id = z.string().optional();
const Hit = z
  .object({
    query: z
      .object({
        clickId: id,
        leadId: id,
        saleId: id,
        commissionId: id,
        transactionId: id,
        refundId: id,
        customerKey: id,
        testMode,
      })
      .describe("Query for `/api/tracking/explain` that returns the same explanation."),
    explanation: camelSchema(Explanation).openapi("Explanation"),
  })
  .openapi("SearchHit");

const Similar = z
  .object({
    query: z
      .object({ transactionId: id, customerKey: id, testMode })
      .describe("Query for `/api/tracking/explain` that returns the explanation."),
    sale: z
      .object({ amountCents: int64(), currency: z.string(), occurredAt: z.iso.datetime() })
      .optional()
      .describe("Sale with this transaction id."),
  })
  .openapi("SimilarId");

export const search = endpoint({
  route: createRoute({
    method: "get",
    path: "/search/{programId}",
    operationId: "searchEvents",
    tags: ["Dashboard"],
    summary: "Find events, commissions, customers and coupons by any id",
    description:
      "Explains everything with this id, whichever kind of id it is. `meta.similar` lists transaction ids and " +
      "customer keys that start with it. Searches test data if live data has neither.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns(
        "Everything with this id",
        z.object({
          data: z.array(Hit),
          meta: z.object({
            similar: z.array(Similar).describe("Up to three sales and three customers."),
            coupons: z
              .array(couponRecord.schema)
              .describe("The coupon with this code, ignoring case, if there is one."),
          }),
        }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const programId = c.get("program").id;
    const text = c.req.valid("query").q.trim();
    const ofRef = refsOfProgram(c, programId).idOf(text);
    const lookups = [...(ofRef === undefined ? [] : [lookup("commission", ofRef)]), ...lookupsOf(text)];
    const found = await readFromDatabase(c, "program", (database) => readSearch(database, programId, text, lookups));
    if (!found.ok) return refuse(c, found.refusal);
    const { subjects, coupons, ids, hasErased } = found.value;
    const isTest = !subjects.some(({ here }) => here) && sizeOf(ids.live) === 0;
    const isKnown = subjects.some(({ here, elsewhere }) => here || elsewhere);
    const wanted = lookups.flatMap((each, i) => {
      const isFound = isTest ? subjects[i]?.elsewhere : subjects[i]?.here;
      if (isFound) return [{ ...each, isTest }];
      const mayBeErased = hasErased && !isKnown && each.by === "transaction";
      return mayBeErased ? [false, true].map((book) => ({ ...each, isTest: book })) : [];
    });
    const data: z.output<typeof Hit>[] = [];
    for (const each of wanted) {
      const request = { ...each, programId, after: undefined };
      const explained = await readExplanation(c, actingMember(c), request, toOwner);
      if (explained.ok) data.push({ query: queryOf(request), explanation: explained.value });
      else if (explained.refusal.code !== "nothing_to_explain") return refuse(c, explained.refusal);
    }
    const meta = { similar: similarIn(ids, isTest), coupons: coupons.map(couponRecord.reply) };
    return c.json({ data, meta }, 200);
  },
});

const sizeOf = ({ sales, customers }: IdsOfPrefix): number => sales.length + customers.length;

function similarIn(ids: Readonly<Record<"live" | "test", IdsOfPrefix>>, isTest: boolean): z.output<typeof Similar>[] {
  const { sales, customers } = isTest ? ids.test : ids.live;
  const inBook = isTest ? { testMode: "true" as const } : {};
  return [
    ...sales.map(({ transactionId, occurredAt, ...amount }) => ({
      query: { transactionId, ...inBook },
      sale: { ...amount, occurredAt: timestamp(occurredAt) },
    })),
    ...customers.map(({ customerKey }) => ({ query: { customerKey, ...inBook } })),
  ];
}

const queryOf = ({ by, key, refundId, isTest }: ExplainRequest): z.output<typeof Hit>["query"] => ({
  [names[by]]: String(key),
  ...(refundId !== undefined && { refundId }),
  ...(isTest && { testMode: "true" }),
});
