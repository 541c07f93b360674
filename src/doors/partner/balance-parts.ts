import {
  BalanceParts,
  exampleParts,
  partColumns,
  partLines,
  partsFields,
  partsName,
  readParts,
} from "#api/balance-parts.ts";
import { downloadPages } from "#api/download-pages.ts";
import { exportHeaders, format, okOrFile } from "#api/export-file.ts";
import { ok } from "#domain/result.ts";
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
    summary: "Get what makes up an amount of your balance",
    description:
      "The sum of the commissions, and the entries that belong to none of them. As CSV, the lines add up to the amount.",
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
    const read = () => readParts(c, { programId, partnerId, timezone, currency }, field);
    if (format === "csv") {
      const file = await downloadPages(c, downloading(c), partColumns(currency), async () => {
        const found = await read();
        return found.ok ? ok({ page: partLines(found.value), next: undefined }) : found;
      });
      if (!file.ok) return refuse(c, file.refusal);
      return c.body(
        textStream(file.value.parts),
        200,
        exportHeaders(programFile(partner), ...partsName(field, currency)),
      );
    }
    const found = await read();
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
