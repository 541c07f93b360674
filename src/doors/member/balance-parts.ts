import { BalanceParts, downloadParts, exampleParts, partsFields, partsName, readParts } from "#api/balance-parts.ts";
import { exportHeaders, format, okOrFile } from "#api/export-file.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PartnerPath } from "./params.ts";

const Query = z.object({ ...partsFields(), format: format() });

export const getBalanceParts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/balance-parts",
    operationId: "getBalanceParts",
    tags: ["Payouts"],
    summary: "Get the parts of an amount in a partner's balance",
    description:
      "Returns the sum of the commissions, and the entries that belong to none of these commissions. In the CSV file, the lines add up to the amount.",
    ...programMember("viewer"),
    request: { params: PartnerPath, query: Query },
    responses: {
      ...okOrFile("The parts of the amount", BalanceParts, exampleParts),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const program = c.get("program");
    const { id: programId, timezone } = program;
    const { field, currency = program.currency, format = "json" } = c.req.valid("query");
    const asked = { programId, partnerId, timezone, currency };
    if (format === "csv") {
      const file = await downloadParts(c, actingMember(c), asked, field);
      if (!file.ok) return refuse(c, file.refusal);
      return c.body(textStream(file.value.parts), 200, exportHeaders(program, ...partsName(field, currency)));
    }
    const found = await readParts(c, asked, field);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
