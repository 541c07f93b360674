import { payFormats } from "#domain/pay-format.ts";
import { ok, refused } from "#domain/result.ts";
import { mayActAs } from "#domain/role.ts";
import { runOperation } from "#http/call-ledger.ts";
import { download } from "#http/download.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "../actor.ts";
import { allPages } from "../all-pages.ts";
import { isRecentlyConfirmed } from "../authorize.ts";
import { exportFile, exportHeaders, okOrFile } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { downloadFile } from "./files/download-file.ts";
import { emptySepa } from "./files/sepa.ts";
import { replyOfPayout } from "./load-payout.ts";
import { lineColumns, PayoutWithLines } from "./payout-record.ts";
import { noPayout, readLines } from "./read-lines.ts";
import { acknowledgedAt, restoreAcknowledged } from "./request.ts";

const Query = z.object({
  format: fields
    .oneOf("format", ["json", "csv", ...payFormats])
    .optional()
    .openapi({
      description:
        "`csv` returns the payment list of a final payout. Owners and admins only, and the payment details for owners alone. `paypal`, `wise` and `sepa` return a file to pay by, for owners only. A file requires that you signed in or reauthenticated recently. Each download is recorded in the audit log.",
    }),
  part: fields.integerText("part", 1, 10).optional().openapi({
    description: "Of `paypal` and `wise`, if the payout has more lines than the service takes in one file.",
  }),
  restoreAcknowledged,
});

const fileRefusals = [
  ...([
    "invalid_input",
    "cross_site",
    "reauthenticate",
    "payout_not_final",
    "payout_closed",
    "restored",
    "download_running",
  ] as const),
  ...(["no_payer", "nothing_for_format"] as const),
] as const;

const { 200: reply } = okOrFile("The payout", z.object({ data: PayoutWithLines }), lineColumns("2026-03", true));

export const getPayout = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/payouts/{payoutId}",
    operationId: "getPayout",
    tags: ["Payouts"],
    summary: "Get a payout with its lines",
    description: "One line for each partner. The lines of a draft may still change when it is finalized.",
    ...programMember("viewer"),
    request: { params: PayoutPath, query: Query },
    responses: {
      200: { ...reply, content: { ...reply.content, "application/xml": { schema: z.string(), example: emptySepa } } },
      ...refusals([...memberRefusals, ...fileRefusals]),
    },
  }),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, noPayout);
    const { role } = c.get("membership");
    const isAdmin = mayActAs(role, "admin");
    const { format = "json", part = 1, ...query } = c.req.valid("query");
    if (format === "json") {
      const read = await replyOfPayout(c, c.get("program").id, payoutId, isAdmin);
      return read.ok ? c.json({ data: read.value }, 200) : refuse(c, read.refusal);
    }
    const needed = format === "csv" ? "admin" : "owner";
    if (!mayActAs(role, needed)) return refuse(c, { code: "role_too_low", needed });
    if (!isRecentlyConfirmed(c, c.get("confirmedAt"))) return refuse(c, { code: "reauthenticate" });
    const call = { ...actingMember(c), restoreAcknowledged: acknowledgedAt(query.restoreAcknowledged) };
    if (format !== "csv") {
      const asked = { call, program: c.get("program"), payoutId, format, part };
      const file = await downloadFile(c, asked);
      return file.ok ? c.body(textStream(file.value.parts), 200, file.value.headers) : refuse(c, file.refusal);
    }
    const hasDetails = role === "owner";
    const lines = { programId: c.get("program").id, id: payoutId, details: hasDetails ? "all" : "none" } as const;
    const list = await download(c, call, async () => {
      const record = { ...call, kind: "download-payout", payoutId } as const;
      const recorded = await runOperation(c, record);
      if (!recorded.ok) return refused(recorded.refusal);
      const first = await readLines(c, lines, 0);
      if (!first.ok) return first;
      const { reference } = first.value.payout;
      const pages = allPages(first.value, (after) => readLines(c, lines, after));
      return ok({ reference, parts: exportFile(lineColumns(reference, hasDetails), pages) });
    });
    if (!list.ok) return refuse(c, list.refusal);
    const headers = exportHeaders(c.get("program"), "payout", list.value.reference);
    return c.body(textStream(list.value.parts), 200, headers);
  },
});
