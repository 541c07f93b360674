import { clamped } from "#domain/money.ts";
import { PostingDays } from "#domain/posting-days.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { Caller } from "#http/turns.ts";
import { type PartField, partFields, readBalanceParts } from "#store/reports/balance-parts.ts";
import type { PartnerAccount } from "#store/reports/partner-statement.ts";
import { downloadPages } from "./download-pages.ts";
import { amountCell, type ExportColumns } from "./export-file.ts";
import { readFromDatabase } from "./read-database.ts";
import { type EntryReply, entryReply, StatementEntry } from "./statement-record.ts";
import { currencyOrUnit, unitsOf } from "./units.ts";

const maxEntries = 200;

export const partsFields = () => ({
  field: fields.oneOf("field", partFields).default("payable").describe("The amount to explain."),
  currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
});

export const BalanceParts = z
  .object({
    data: z.object({
      currency: z.string(),
      amountCents: int64().describe(
        "The amount: `commissionsCents` plus the sum of `entries` plus `otherCents`. Negative if it will be deducted.",
      ),
      commissions: int64().describe(
        "Number of commissions in the amount. To list them, filter the list of commissions by `inPayout`.",
      ),
      initialCents: int64().describe("Sum of the commissions before refunds and corrections."),
      commissionsCents: int64().describe(
        "Sum of the commissions' remaining amounts. For the amount in payouts: of their amounts when the payout was finalized.",
      ),
      entries: z
        .array(StatementEntry)
        .describe(
          `Entries of the amount to pay, newest first, at most ${maxEntries}: bonuses, deductions, and later changes of commissions in payouts. Empty for the amount in payouts.`,
        ),
      otherCents: int64().describe("The rest of the amount, such as older entries."),
    }),
  })
  .openapi("BalanceParts");
type BalanceParts = z.output<typeof BalanceParts>["data"];

interface Asked extends PartnerAccount {
  /** The program's current time zone. */
  readonly timezone: string;
}

export async function readParts(
  c: Ctx,
  { timezone, ...account }: Asked,
  field: PartField,
): Promise<Result<BalanceParts>> {
  const { programId, currency } = account;
  const known = await unitsOf(c, programId, currency);
  if (!known.ok) return known;
  const read = await readFromDatabase(c, "program", (database) =>
    readBalanceParts(database, account, field, maxEntries),
  );
  if (!read.ok) return read;
  const { partners, balance, sums, timezoneChanges } = read.value;
  if (partners === 0) return refused(notFound("partner"));
  const encode = entryReply(refsOfProgram(c, programId), new PostingDays(timezone, timezoneChanges), c.get("call").at);
  const entries = read.value.entries.map(encode);
  const ofField = field === "payable" ? balance?.payableCents : balance?.inPayoutCents;
  const amountCents = clamped(ofField ?? 0n);
  const commissionsCents = clamped(sums?.countedCents ?? 0n);
  const listed = entries.reduce((sum, entry) => sum + entry.amountCents, commissionsCents);
  return ok({
    currency,
    amountCents,
    commissions: sums?.commissions ?? 0,
    initialCents: clamped(sums?.initialCents ?? 0n),
    commissionsCents,
    entries,
    otherCents: amountCents - listed,
  });
}

interface PartLine {
  readonly kind: EntryReply["kind"] | "commissions" | "other";
  readonly amountCents: number;
  readonly entry?: EntryReply;
}

/** The lines of the file, which add up to the partner's amount to pay or in payouts. */
const partLines = ({ commissions, commissionsCents, entries, otherCents }: BalanceParts): PartLine[] => [
  ...(commissions === 0 ? [] : [{ kind: "commissions", amountCents: commissionsCents } as const]),
  ...entries.map((entry) => ({ kind: entry.kind, amountCents: entry.amountCents, entry })),
  ...(otherCents === 0 ? [] : [{ kind: "other", amountCents: otherCents } as const]),
];

const partColumns = (currency: string): ExportColumns<PartLine> => ({
  posted_on: ({ entry }) => entry?.postedOn ?? null,
  sale_date: ({ entry }) => entry?.saleOn ?? null,
  kind: ({ kind }) => kind,
  commission: ({ entry }) => entry?.ref ?? null,
  note: ({ entry }) => entry?.partnerNote ?? null,
  amount: ({ amountCents }) => amountCell(amountCents, currency),
  currency: () => currency,
});

export const exampleParts = partColumns("EUR");

/** Downloads the parts of the amount as a file. All parts are read as one page. */
export const downloadParts = (c: Ctx, by: Caller, asked: Asked, field: PartField) =>
  downloadPages(c, by, partColumns(asked.currency), async () => {
    const found = await readParts(c, asked, field);
    return found.ok ? ok({ page: partLines(found.value), next: undefined }) : found;
  });

/** The parts of the file's name. */
export const partsName = (field: PartField, currency: string): readonly string[] => [
  field === "payable" ? "to pay" : "in payout",
  currency,
];
