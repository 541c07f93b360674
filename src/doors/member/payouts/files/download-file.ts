import { dayIn } from "#domain/calendar.ts";
import type { PayoutId } from "#domain/ids.ts";
import type { PayFormat } from "#domain/pay-format.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import type { DownloadPayoutCall } from "#operations/payouts/download-payout.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { allPages } from "../../all-pages.ts";
import { payFileHeaders } from "../../export-file.ts";
import { type LinesPage, readLines } from "../read-lines.ts";
import type { PayFile } from "./layout.ts";
import { layouts } from "./sort-lines.ts";
import { sortPayout, withoutFailed } from "./sort-payout.ts";
import { writeFile } from "./write-file.ts";

interface Asked {
  readonly call: Omit<DownloadPayoutCall, "kind" | "file" | "payoutId">;
  readonly program: ProgramScope;
  readonly payoutId: PayoutId;
  readonly format: PayFormat;
  /** From 1 on. */
  readonly part: number;
}

interface PayFileDownload {
  readonly parts: AsyncGenerator<string, undefined>;
  readonly headers: Readonly<Record<string, string>>;
}

export const downloadFile = (c: Ctx, asked: Asked): Promise<Result<PayFileDownload>> =>
  download(c, asked.call, () => openFile(c, asked));

/** Reads the lines twice: a file begins with how many it has and what they add up to. */
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
    ...{ programId: program.id, payoutId, reference, currency, payer },
    ...{ lineCount, totalCents, createdAt: call.at, day: dayIn(program.timezone, call.at) },
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
