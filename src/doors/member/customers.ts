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
import { exportHeaders, okOrFile } from "#api/export-file.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { PageMeta } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { asNamed, ProgramPath } from "./params.ts";

const Query = z.object({ ...customerFields(asNamed), cursor: customerCursors.parameter() }).refine(...knownInOrder());

export const listCustomers = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/customers",
    operationId: "listCustomers",
    tags: ["Management"],
    summary: "List customers",
    description:
      "Customers with their partner and the sums of their sales. Filters can be combined. A page can be short, or " +
      "even empty, although more pages follow.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile(
        `Customers, newest first, at most ${customersPerPage} per page`,
        z.object({ data: z.array(customerRecord.schema), meta: PageMeta }),
        customerColumns,
      ),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { cursor, format, ...query } = c.req.valid("query");
    const program = c.get("program");
    const book = bookAsked(program.id, query);
    if (format === "csv") {
      const file = await downloadCustomers(c, actingMember(c), book, query);
      if (!file.ok) return refuse(c, file.refusal);
      return c.body(textStream(file.value.parts), 200, exportHeaders(program, "customers"));
    }
    const found = await readCustomers(c, book, query, cursor);
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: found.value.page.map(customerRecord.reply), meta: found.value.meta }, 200);
  },
});
