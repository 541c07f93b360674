import { allPages } from "#api/all-pages.ts";
import { downloadPages } from "#api/download-pages.ts";
import { exportFile, exportHeaders, format, okOrFile } from "#api/export-file.ts";
import { emptySepa } from "#api/payment-files/sepa.ts";
import { acknowledgedAt, restoreAcknowledged, settledBy } from "#api/payout-fields.ts";
import {
  ChangedPayout,
  lineColumns,
  PayoutWithLines,
  payoutColumns,
  payoutRecord,
  readLines,
  replyOfPayout,
  withSums,
} from "#api/payouts.ts";
import { readPage } from "#api/read-page.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { dayIn } from "#domain/calendar.ts";
import { payFormats } from "#domain/pay-format.ts";
import { ok, refused } from "#domain/result.ts";
import { mayActAs } from "#domain/role.ts";
import { runOperation } from "#http/call-ledger.ts";
import { download } from "#http/download.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { listPayouts as list } from "#store/views/payouts.ts";
import { actingMember } from "./actor.ts";
import { isRecentlyConfirmed } from "./authorize.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { PayoutPath, ProgramPath } from "./params.ts";
import { downloadFile } from "./payment-files.ts";

const maxPartners = 1_000;

const NewPayout = z
  .object({
    currency: currencyOrUnit(),
    until: fields
      .optional(fields.instant("until"))
      .describe(
        "Pays commissions and bonuses that became payable up to this time. Defaults to now; a later time counts as now.",
      ),
    minimumCents: fields
      .optional(fields.amountCents("minimumCents"))
      .describe("Defaults to the program's `minimumPayoutCents` in its own currency, else 1."),
    partnerIds: fields
      .optional(
        z
          .array(fields.programId("partnerIds"), "partnerIds must be an array of ids")
          .min(1, "partnerIds must not be empty")
          .max(maxPartners, `partnerIds must have at most ${maxPartners} ids`),
      )
      .describe("Pays only these partners, even if they are paused. Defaults to all active partners."),
    reference: fields
      .optional(fields.nonBlank("reference"))
      .describe("Your own reference for the payout, unique in the program. Repeating it returns the first payout."),
    settledBy: settledBy("Defaults to `person`."),
  })
  .openapi("NewPayout");

export const createPayout = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/payouts",
    operationId: "createPayout",
    tags: ["Payouts"],
    summary: "Create a draft payout",
    description:
      "Proposes a line for each partner with an amount to pay. Nothing is reserved until you finalize the payout.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewPayout) },
    responses: {
      ...created("The draft payout", ChangedPayout),
      ...returns("The payout with this reference", ChangedPayout),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "draft_exists",
        "payout_conflict",
        "nothing_payable",
        "all_left_out",
        "reference_canceled",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const { until, ...terms } = c.req.valid("json");
    const known = await unitsOf(c, c.get("program").id, terms.currency);
    if (!known.ok) return refuse(c, known.refusal);
    const { at } = c.get("call");
    const asked = fields.instantOf(until, at);
    const create = {
      ...actingMember(c),
      kind: "create-payout",
      ...terms,
      until: asked !== null && asked < at ? asked : null,
    } as const;
    const made = await runOperation(c, create);
    if (!made.ok) return refuse(c, made.refusal);
    const { payout, isNew } = made.answer;
    const found = await replyOfPayout(c, create.programId, payout.id, true);
    return found.ok ? c.json({ data: found.value }, isNew ? 201 : 200) : refuse(c, found.refusal);
  },
});

const pageSizes = { json: 50, csv: 500 };

const cursors = idCursor("payouts");

const Query = z.object({
  cursor: cursors.parameter(),
  format: format("payouts"),
});

export const listPayouts = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/payouts",
    operationId: "listPayouts",
    tags: ["Payouts"],
    summary: "List a program's payouts",
    description:
      "Includes drafts and canceled payouts, with their totals. A payout's lines are returned with the payout itself.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile(
        `Payouts, newest first, ${pageSizes.json} per page`,
        z.object({ data: z.array(payoutRecord.schema), meta: PageMeta }),
        payoutColumns,
      ),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { cursor = newest, format = "json" } = c.req.valid("query");
    const program = c.get("program");
    const readFrom = ({ id: before }: typeof newest) =>
      readPage(c, "program", { ...cursors, size: pageSizes[format] }, (database, limit) =>
        list(database, program.id, before, limit),
      );
    if (format === "csv") {
      const file = await downloadPages(c, actingMember(c), payoutColumns, (after: typeof newest = newest) =>
        readFrom(after),
      );
      if (!file.ok) return refuse(c, file.refusal);
      const today = dayIn(program.timezone, c.get("call").at);
      return c.body(textStream(file.value.parts), 200, exportHeaders(program, "payouts", today));
    }
    const read = await readFrom(cursor);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return c.json({ data: page.map((payout) => payoutRecord.reply(withSums(payout))), meta }, 200);
  },
});

const FileQuery = z.object({
  format: fields
    .oneOf("format", ["json", "csv", ...payFormats])
    .optional()
    .openapi({
      description:
        "`csv` returns the payment list of a final payout, for owners and admins; only owners get the payment details. `paypal`, `wise` and `sepa` return a payment file, for owners only. A file requires that you signed in or reauthenticated recently. Each download is recorded in the audit log.",
    }),
  part: fields.integerText("part", 1, 10).optional().openapi({
    description:
      "Number of the payment file, if the payout has more lines than the payment service or bank accepts in one file.",
  }),
  restoreAcknowledged,
});

const fileRefusals = [
  "invalid_input",
  "cross_site",
  "reauthenticate",
  "payout_not_final",
  "settled_by_api",
  "payout_closed",
  "restored",
  "download_running",
  "no_payer",
  "nothing_for_format",
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
    request: { params: PayoutPath, query: FileQuery },
    responses: {
      200: { ...reply, content: { ...reply.content, "application/xml": { schema: z.string(), example: emptySepa } } },
      ...refusals([...memberRefusals, ...fileRefusals]),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
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
      const { reference, currency } = first.value.payout;
      const units = await unitsOf(c, call.programId, currency);
      if (!units.ok) return units;
      const pages = allPages(first.value, (after) => readLines(c, lines, after));
      return ok({ reference, parts: exportFile(lineColumns(reference, hasDetails), pages, { units: units.value }) });
    });
    if (!list.ok) return refuse(c, list.refusal);
    const headers = exportHeaders(c.get("program"), "payout", list.value.reference);
    return c.body(textStream(list.value.parts), 200, headers);
  },
});
