import type { ProgramId } from "#domain/ids.ts";
import type { PaymentDetails } from "#domain/payment-details.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { mayActAs } from "#domain/role.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { cutPage } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import type { PayoutRow } from "#store/payouts.ts";
import { type FileLine, readFileLines } from "#store/views/payouts.ts";
import { openDetails } from "../../payment-details.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { allPages } from "../all-pages.ts";
import { refusalOfSite } from "../authorize.ts";
import { exportFile, exportHeaders, okOrFile } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PayoutPath } from "../params.ts";
import { loadPayout } from "./load-payout.ts";
import { lineColumns, type PaidLine, PayoutWithLines, payoutWithLines } from "./payout-record.ts";

/** Lines of the file that are read at once. */
const pageSize = 500;

const noPayout = { code: "not_found", what: "payout" } as const;

const Query = z.object({
  format: fields.oneOf("format", ["json", "csv"]).optional().openapi({
    description:
      "`csv` returns the payment list of a final payout. Owners and admins only, and the payment details for owners alone. Each download is recorded in the audit log.",
  }),
});

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
      ...okOrFile("The payout", z.object({ data: PayoutWithLines })),
      ...refusals([...memberRefusals, "invalid_input", "cross_site", "payout_not_final", "payout_closed"]),
    },
  }),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, noPayout);
    const isAdmin = mayActAs(c.get("membership").role, "admin");
    if (c.req.valid("query").format !== "csv") {
      const found = await loadPayout(c, c.get("program").id, payoutId);
      return found.ok ? c.json({ data: payoutWithLines(found.value, isAdmin) }, 200) : refuse(c, found.refusal);
    }
    if (!isAdmin) return refuse(c, { code: "role_too_low", needed: "admin" });
    const foreign = refusalOfSite(c);
    if (foreign !== undefined) return refuse(c, foreign);
    const download = { ...actingMember(c), kind: "download-payout", payoutId } as const;
    const recorded = await callLedger(c, download, (ledger) => ledger.run(download));
    if (!recorded.ok) return refuse(c, recorded.refusal);
    const hasDetails = c.get("membership").role === "owner";
    const query = { programId: download.programId, id: payoutId, hasDetails };
    const first = await readLines(c, query, 0);
    if (!first.ok) return refuse(c, first.refusal);
    const pages = allPages(first.value, (after) => readLines(c, query, after));
    const { payout } = first.value;
    const headers = exportHeaders(c.get("program"), "payout", payout.reference);
    return c.body(textStream(exportFile(lineColumns(payout.reference, hasDetails), pages)), 200, headers);
  },
});

interface LinesPage {
  readonly payout: PayoutRow;
  readonly page: readonly PaidLine[];
  readonly next: number | undefined;
}

/** Lines of a final payout never change. It may be canceled while its file is read, which then ends. */
async function readLines(
  c: Ctx,
  query: { readonly programId: ProgramId; readonly id: number; readonly hasDetails: boolean },
  after: number,
): Promise<Result<LinesPage>> {
  const read = await readFromDatabase(c, "program", (database) => readFileLines(database, query, after, pageSize + 1));
  if (!read.ok) return read;
  if (read.value === undefined) return refused(noPayout);
  const { payout, lines } = read.value;
  if (payout.status === "canceled") {
    return refused({ code: "payout_closed", status: payout.status, action: "downloaded" });
  }
  const { page, last } = cutPage(lines, pageSize);
  const paid = page.map(async (line) => ({
    ...line,
    details: query.hasDetails ? await detailsOf(c, line) : undefined,
  }));
  return ok({ payout, page: await Promise.all(paid), next: last?.partnerId });
}

/** A file without details that are there would be taken for one of partners who are paid by email address. */
async function detailsOf(c: Ctx, { programId, sealId, ciphertext }: FileLine): Promise<PaymentDetails | undefined> {
  if (sealId === null || ciphertext === null) return undefined;
  const details = await openDetails(c, { programId, sealId, ciphertext });
  if (details === undefined) throw new Error("no data key decrypts a partner's payment details");
  return details;
}
