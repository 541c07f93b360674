import {
  bookAsked,
  customerColumns,
  customerCursors,
  customerFields,
  customerRecord,
  customersPerPage,
  downloadCustomers,
  knownInOrder,
  readCustomers,
} from "#api/customers.ts";
import { csvHeaders, okOrFile } from "#api/export-file.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { checkKey } from "#http/check-key.ts";
import { createRoute, endpoint, refuse } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { inCamelCase, snakeInput } from "#http/schema/camel-keys.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply } from "./list.ts";

const Query = snakeInput(z.object(customerFields(snakeCase)))
  .extend({ cursor: customerCursors.parameter("next_cursor") })
  .refine(...knownInOrder());

export const listCustomers = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/customers",
    operationId: "listCustomers",
    tags: ["Program"],
    summary: "List customers",
    description:
      "Customers with their partner and the sums of their sales. Filters can be combined. A page can be short, or " +
      "even empty, although more pages follow: send `next_cursor` until it is null. A test key needs `test_mode=true`.",
    ...programKeyRequired("keyedList", "read"),
    request: { query: Query },
    responses: {
      ...okOrFile(
        `Customers, newest first, at most ${customersPerPage} per page`,
        listOf("Customer", customerRecord.schema),
        customerColumns,
      ),
      ...readRefusals("invalid_input", "download_running"),
    },
  }),
  handler: async (c) => {
    const { cursor, format, ...asked } = c.req.valid("query");
    const query = inCamelCase(asked);
    const key = c.get("key");
    const book = bookAsked(key.programId, query);
    const checked = await checkKey(c, key, book.isTest);
    if (!checked.ok) return refuse(c, checked.refusal);
    if (format === "csv") {
      const by = { programId: key.programId, actorId: key.hash };
      const file = await downloadCustomers(c, by, book, query);
      if (!file.ok) return refuse(c, file.refusal);
      return c.body(textStream(file.value.parts), 200, csvHeaders("tributary-customers"));
    }
    const found = await readCustomers(c, book, query, cursor);
    if (!found.ok) return refuse(c, found.refusal);
    return reply(c, listReply(found.value.page.map(customerRecord.reply), found.value.meta));
  },
});
