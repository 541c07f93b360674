import { downloadPages } from "#api/download-pages.ts";
import { exportHeaders, format, okOrFile, periodName } from "#api/export-file.ts";
import { filterOf, pageFields, readOwnPage } from "#api/own-commission-page.ts";
import { ownColumns, ownCommission, readOwnCommissions } from "#api/own-commissions.ts";
import { inOrder } from "#api/period.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { downloading, partnerRefusals, partnerSide, programFile } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z
  .object({
    ...pageFields(),
    currency: currencyOrUnit().optional().describe("Lists only commissions in this currency."),
    inPayout: fields
      .oneOf("inPayout", ["true", "false"])
      .optional()
      .describe(
        "`true` lists only `approved` commissions that are being paid, `false` only those that are to be paid. Needs `currency`. Can't be combined with another `status` than `approved`.",
      ),
    format: format(),
    ...viewField(),
  })
  .refine(...inOrder("from", "to"))
  .refine(...fields.rule(["inPayout"], "inPayout needs currency, and no status other than approved", isOfBalance));

interface Asked {
  readonly inPayout?: unknown;
  readonly currency?: unknown;
  readonly status?: unknown;
}

function isOfBalance({ inPayout, currency, status = "approved" }: Asked): boolean {
  return inPayout === undefined || (currency !== undefined && status === "approved");
}

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/commissions",
    operationId: "listOwnCommissions",
    tags: ["Partner"],
    summary: "List your commissions",
    description: "Filters can be combined. Sales that pay no commission are not listed.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: Query },
    responses: {
      ...okOrFile(
        `Commissions, newest first, ${pageSizes.json} per page`,
        z.object({ data: z.array(ownCommission.schema), meta: PageMeta }),
        ownColumns,
      ),
      ...refusals([...partnerRefusals, "invalid_input", "download_running"]),
    },
  }),
  handler: async (c) => {
    const { format = "json", ...query } = c.req.valid("query");
    const partner = c.get("partner");
    const known = await unitsOf(c, partner.programId, query.currency);
    if (!known.ok) return refuse(c, known.refusal);
    if (format === "csv") {
      const file = await downloadPages(c, downloading(c), ownColumns, (before: number | undefined) =>
        readOwnCommissions(c, partner, filterOf(query), { before, size: pageSizes.csv }),
      );
      if (!file.ok) return refuse(c, file.refusal);
      const headers = exportHeaders(programFile(partner), "commissions", periodName(query.from, query.to));
      return c.body(textStream(file.value.parts), 200, headers);
    }
    const read = await readOwnPage(c, partner, query, pageSizes.json);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, nextCursor } = read.value;
    return c.json({ data: page.map(ownCommission.reply), meta: { nextCursor } }, 200);
  },
});
