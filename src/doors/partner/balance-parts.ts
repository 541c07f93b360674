import { BalanceParts, downloadParts, exampleParts, partsFields, partsName, readParts } from "#api/balance-parts.ts";
import { exportHeaders, format, okOrFile } from "#api/export-file.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { downloading, partnerRefusals, partnerSide, programFile } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Query = z.object({ ...partsFields(), format: format(), ...viewField() });

export const getBalanceParts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/balance-parts",
    operationId: "getOwnBalanceParts",
    tags: ["Partner"],
    summary: "Get the parts of an amount in your balance",
    description:
      "Returns the sum of the commissions, and the entries that belong to none of these commissions. In the CSV file, the lines add up to the amount.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...okOrFile("The parts of the amount", BalanceParts, exampleParts),
      ...refusals([...partnerRefusals, "invalid_input", "download_running"]),
    },
  }),
  handler: async (c) => {
    const partner = c.get("partner");
    const { programId, partnerId, timezone } = partner;
    const { field, currency = partner.currency, format = "json" } = c.req.valid("query");
    const asked = { programId, partnerId, timezone, currency };
    if (format === "csv") {
      const file = await downloadParts(c, downloading(c), asked, field);
      if (!file.ok) return refuse(c, file.refusal);
      return c.body(
        textStream(file.value.parts),
        200,
        exportHeaders(programFile(partner), ...partsName(field, currency)),
      );
    }
    const found = await readParts(c, asked, field);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
