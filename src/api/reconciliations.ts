import type { Reconciliation } from "#domain/reconciliation.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { from, instant, record } from "#http/schema/record.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";

const processorRule = "processor must be 1 to 40 characters of a-z, 0-9 and -";

export const reconciliationRecord = record("Reconciliation", {
  processor: z.string().describe("Payment processor that the sales were compared with."),
  from: from("fromAt", instant("Beginning of the compared period.")),
  to: from("toAt", instant("End of the compared period.")),
  matched: int64().describe("Number of payments that are recorded with the processor's amount, currency and refunds."),
  missing: int64().describe("Number of payments that aren't recorded."),
  unexpected: int64().describe("Number of recorded sales without a payment."),
  differs: int64().describe("Number of sales whose amount, currency or refunds differ from the payment."),
  reported_at: instant("Time of the report."),
});

const count = (field: string) => fields.integer(field, 0, Number.MAX_SAFE_INTEGER);

interface Span {
  readonly from?: unknown;
  readonly to?: unknown;
}

const isInOrder = ({ from, to }: Span): boolean => {
  const [first, last] = [from, to].map((at) => (typeof at === "string" ? parseTimestamp(at) : undefined));
  return first === undefined || last === undefined || first <= last;
};

export const ReconciliationBody = z
  .object({
    processor: z.string(processorRule).regex(/^[a-z0-9-]{1,40}$/, processorRule),
    from: fields.instant("from").describe("Beginning of the compared period."),
    to: fields.instant("to").describe("End of the compared period."),
    matched: count("matched"),
    missing: count("missing"),
    unexpected: count("unexpected"),
    differs: count("differs"),
  })
  .refine(...fields.rule(["from"], "from must not be after to", isInOrder))
  .openapi("NewReconciliation");

const instantIn = (text: string): number => parseTimestamp(text) ?? 0;

export const reconciliationOf = ({
  from,
  to,
  ...counts
}: z.output<typeof ReconciliationBody>): Omit<Reconciliation, "reportedAt"> => ({
  ...counts,
  fromAt: instantIn(from),
  toAt: instantIn(to),
});
