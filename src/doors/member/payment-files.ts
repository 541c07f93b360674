import { allPages } from "#api/all-pages.ts";
import { payFileHeaders } from "#api/export-file.ts";
import type { PayFile } from "#api/payment-files/formats.ts";
import { layouts, type SortedPayout, sortPayout, withoutFailed, writeFile } from "#api/payment-files/sort-lines.ts";
import { type LinesPage, readLines } from "#api/payouts.ts";
import { dayIn } from "#domain/calendar.ts";
import type { PayoutId } from "#domain/ids.ts";
import { lineFaults, type PayFormat, payFormats } from "#domain/pay-format.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { DownloadPayoutCall } from "#operations/payouts/download-payout.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { PayoutPath } from "./params.ts";

const sums = { lineCount: int32(), amountCents: int64() };

const PayoutFiles = z
  .object({
    currency: z.string(),
    files: z.array(
      z.object({
        format: z.enum(payFormats),
        ...sums,
        parts: z
          .array(z.object(sums))
          .describe("Files to upload to the payment service, which accepts a limited number of lines per file."),
        unavailable: z
          .enum(["currency", "no_payer"])
          .nullable()
          .describe(
            "`currency`: the payment service doesn't support the payout's currency. `no_payer`: the program has no `payer`.",
          ),
      }),
    ),
    rest: z.object(sums).describe("Lines that no file can contain. Pay them by the payment list."),
    refused: z
      .array(
        z.object({
          format: z.enum(payFormats),
          reason: z
            .enum(lineFaults)
            .describe("Field that the payment service would refuse: the holder's name, the account, or the amount."),
          ...sums,
          partners: z
            .array(z.object({ id: id(), code: z.string() }))
            .describe("Partners of the first 20 of these lines."),
        }),
      )
      .describe("Lines of `rest` that a file would contain if its payment service didn't refuse them."),
  })
  .openapi("PayoutFiles");

export const listPayoutFiles = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/payouts/{payoutId}/files",
    operationId: "listPayoutFiles",
    tags: ["Payouts"],
    summary: "List a payout's payment files",
    description: "Counts the lines of each payment method, without those that failed. Each line is counted once.",
    ...programMember("owner"),
    request: { params: PayoutPath },
    responses: {
      ...returns("The files", z.object({ data: PayoutFiles })),
      ...refusals([...memberRefusals, "payout_not_final", "settled_by_api", "payout_closed"]),
    },
  }),
  handler: async (c) => {
    const { payoutId } = c.req.valid("param");
    const sorted = await sortPayout(c, { programId: c.get("program").id, id: payoutId, details: "all" });
    return sorted.ok ? c.json({ data: filesOf(sorted.value) }, 200) : refuse(c, sorted.refusal);
  },
});

interface Sum {
  readonly lineCount: number;
  readonly totalCents: number;
}

const sumReply = ({ lineCount, totalCents }: Sum) => ({ lineCount, amountCents: totalCents });

const together = (all: readonly Sum[]): Sum => ({
  lineCount: all.reduce((sum, { lineCount }) => sum + lineCount, 0),
  totalCents: all.reduce((sum, { totalCents }) => sum + totalCents, 0),
});

function filesOf({ payout, payer, parts, inOtherCurrency, rest, refused }: SortedPayout): z.output<typeof PayoutFiles> {
  const files = payFormats.map((format) => {
    const { takesCurrency, needsPayer } = layouts[format];
    const isPayable = takesCurrency(payout.currency);
    const missing = needsPayer && payer === null ? ("no_payer" as const) : null;
    return {
      format,
      ...sumReply(isPayable ? together(parts[format]) : inOtherCurrency[format]),
      parts: parts[format].map(sumReply),
      unavailable: isPayable ? missing : ("currency" as const),
    };
  });
  const refusedReply = refused.map(({ format, fault, partners, ...sum }) => ({
    format,
    reason: fault,
    ...sumReply(sum),
    partners: partners.map(({ partnerId, partnerCode }) => ({ id: partnerId, code: partnerCode })),
  }));
  return { currency: payout.currency, files, rest: sumReply(rest), refused: refusedReply };
}

interface Asked {
  readonly call: Omit<DownloadPayoutCall, "kind" | "file" | "payoutId">;
  readonly program: ProgramScope;
  readonly payoutId: PayoutId;
  readonly format: PayFormat;
  /** The number of the file, from 1. */
  readonly part: number;
}

interface PayFileDownload {
  readonly parts: AsyncGenerator<string, undefined>;
  readonly headers: Readonly<Record<string, string>>;
}

export const downloadFile = (c: Ctx, asked: Asked): Promise<Result<PayFileDownload>> =>
  download(c, asked.call, () => openFile(c, asked));

/** Reads the lines twice, because the file begins with their number and sum. */
async function openFile(c: Ctx, asked: Asked): Promise<Result<PayFileDownload>> {
  const { call, program, payoutId, format, part } = asked;
  const { method, needsPayer, ...layout } = layouts[format];
  const query = { programId: program.id, id: payoutId, details: method };
  const sorted = await sortPayout(c, query);
  if (!sorted.ok) return sorted;
  const { payout, payer, parts } = sorted.value;
  const found = parts[format][part - 1];
  if (found === undefined || found.lineCount === 0) return refused({ code: "nothing_for_format", format });
  if (needsPayer && payer === null) return refused({ code: "no_payer" });

  const { after, lineCount, totalCents } = found;
  const file = { format, totalCents, lines: lineCount };
  const record = { ...call, kind: "download-payout", payoutId, file } as const;
  const recorded = await runOperation(c, record);
  if (!recorded.ok) return refused(recorded.refusal);
  const first = await readLines(c, query, after);
  if (!first.ok) return first;

  const { reference, currency } = payout;
  const written: PayFile = {
    programId: program.id,
    payoutId,
    reference,
    currency,
    payer,
    lineCount,
    totalCents,
    createdAt: call.at,
    day: dayIn(program.timezone, call.at),
  };
  const pages = livePages(allPages(first.value, (next) => readLines(c, query, next)));
  const names = ["payout", reference, format, ...(parts[format].length > 1 ? [String(part)] : [])];
  return ok({
    parts: writeFile(format, written, pages),
    headers: payFileHeaders(program, layout, ...names),
  });
}

async function* livePages(pages: ReturnType<typeof allPages<LinesPage>>) {
  for await (const found of pages) yield withoutFailed(found);
}
