import { attributionSources } from "#domain/attribution.ts";
import type { Book } from "#domain/book.ts";
import { normalizeEmail } from "#domain/email.ts";
import { emailDigest, emailHash } from "#domain/email-digest.ts";
import { ok, type Result } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { sourceOrNull } from "#http/schema/attribution-source.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { encoded, from, instant, instantOrNull, record } from "#http/schema/record.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { Caller as Downloader } from "#http/turns.ts";
import {
  type CustomerFilter,
  type CustomerPosition,
  type CustomerSum,
  type CustomerView,
  firstCustomer,
  listCustomers,
  maxCountedSales,
} from "#store/views/customers.ts";
import type { Naming } from "./caller.ts";
import { downloadPages } from "./download-pages.ts";
import { amountCell, type ExportColumns, format } from "./export-file.ts";
import { readFromDatabase } from "./read-database.ts";

export const customersPerPage = 50;
/** Customers per page of a file. Each such page reads at most as many sales as a page of the list. */
const customersPerPart = 200;

const tooMany = `Null if the customer has more than ${maxCountedSales.toLocaleString("en-US")} sales.`;

const countWhere = (sums: readonly CustomerSum[] | null, isAttributed: 0 | 1): number | null =>
  sums === null ? null : sumsWhere(sums, isAttributed).reduce((count, { sales }) => count + sales, 0);

const sumsWhere = (sums: readonly CustomerSum[], isAttributed: 0 | 1) =>
  sums.filter((sum) => sum.isAttributed === isAttributed);

const counted = (isAttributed: 0 | 1, what: string) =>
  from(
    "sums",
    encoded(int64().nullable().describe(`${what} ${tooMany}`), (sums: readonly CustomerSum[] | null) =>
      countWhere(sums, isAttributed),
    ),
  );

const customerSum = record("CustomerSum", {
  currency: z.string(),
  amountCents: int64().describe("Sum of the sales before refunds, in the currency's smallest unit."),
  refundedCents: int64(),
  commissionCents: int64().describe("Remaining commission. Rejected and reversed commissions aren't included."),
});

export const customerRecord = record("Customer", {
  customerKey: z
    .string()
    .nullable()
    .describe("Null for a customer who is known only by a click. A pseudonym if the customer was erased."),
  partnerCode: z.string().nullable().describe("Partner code by which the customer came. Null if unattributed."),
  source: sourceOrNull,
  since: instantOrNull("Time since which the customer is attributed to the partner."),
  locked: z.boolean().describe("True if clicks no longer move the customer to another partner."),
  knownSince: from("createdAt", instant("Time of the first call or import with the customer.")),
  firstSaleAt: instantOrNull("Time of the customer's first sale, attributed or not."),
  sales: counted(1, "Number of attributed sales."),
  otherSales: counted(0, "Number of the customer's sales that aren't attributed."),
  sums: encoded(
    z.array(customerSum.schema).nullable().describe(`Sums of the attributed sales by currency. ${tooMany}`),
    (sums: readonly CustomerSum[] | null) => (sums === null ? null : sumsWhere(sums, 1).map(customerSum.reply)),
  ),
  partial: from(
    "sums",
    encoded(
      z.boolean().describe("True if `sums` is null because the customer has too many sales."),
      (sums: unknown) => sums === null,
    ),
  ),
});

export const customerCursors = cursorOf("customers", { isScan: z.boolean(), before: z.int().positive() });

const isTrue = (field: string, description: string) =>
  fields
    .oneOf(field, ["true", "false"])
    .optional()
    .openapi({ description: `${description} \`false\` lists the others.` });

export const customerFields = (name: Naming) => ({
  customerKey: fields.callerId(name("customerKey")).optional().describe("Lists only the customer with this key."),
  partnerCode: fields
    .callerId(name("partnerCode"))
    .optional()
    .describe("Lists only customers of the partner with this code. Any of the partner's codes lists them all."),
  source: fields.oneOf("source", attributionSources).optional(),
  attributed: isTrue("attributed", "`true` lists only customers with a partner."),
  from: fields.instant("from").optional().describe("Lists only customers who are known since this time or later."),
  to: fields.instant("to").optional().describe("Lists only customers who were known by this time."),
  hasSale: isTrue(name("hasSale"), "`true` lists only customers with a sale, attributed or not."),
  q: fields
    .callerId("q")
    .optional()
    .describe("Lists only customers whose email address is this text, or whose key begins with it."),
  testMode: z
    .enum(["true", "false"], `${name("testMode")} must be true or false`)
    .optional()
    .openapi({ description: "`true` lists the customers of test events. Defaults to `false`." }),
  format: format("customers"),
});

type Query = {
  readonly [Name in keyof ReturnType<typeof customerFields>]?: z.output<ReturnType<typeof customerFields>[Name]>;
};

const instantIn = (text: unknown): number | undefined => (typeof text === "string" ? parseTimestamp(text) : undefined);

export const knownInOrder = () =>
  fields.rule(["from"], "from must not be after to", (query: { readonly from?: unknown; readonly to?: unknown }) => {
    const [first, last] = [instantIn(query.from), instantIn(query.to)];
    return first === undefined || last === undefined || first <= last;
  });

const flagOf = (text: "true" | "false" | undefined): boolean | undefined =>
  text === undefined ? undefined : text === "true";

function filterOf(c: Ctx, { programId }: Book, query: Query): CustomerFilter {
  const { q } = query;
  const secret = hashSecretOf(c.env);
  const isAddress = q?.includes("@") === true;
  return {
    customerKey: query.customerKey,
    codeKey: query.partnerCode?.toLowerCase(),
    source: query.source,
    isAttributed: flagOf(query.attributed),
    from: instantIn(query.from),
    to: instantIn(query.to),
    hasSale: flagOf(query.hasSale),
    text:
      q === undefined
        ? undefined
        : {
            q,
            address: isAddress ? normalizeEmail(q) : undefined,
            emailHash: isAddress ? emailHash(secret, programId, emailDigest(secret, q)) : undefined,
          },
  };
}

export const bookAsked = (programId: Book["programId"], { testMode }: Pick<Query, "testMode">): Book => ({
  programId,
  isTest: testMode === "true",
});

const readFrom = async (
  c: Ctx,
  book: Book,
  query: Query,
  { after = firstCustomer, size }: { readonly after: CustomerPosition | undefined; readonly size: number },
) =>
  readFromDatabase(c, "program", (database) =>
    listCustomers(database, book, filterOf(c, book, query), { after, size }),
  );

/** Reads a page of customers, newest first. A page that reads too many rows is short. */
export async function readCustomers(c: Ctx, book: Book, query: Query, after: CustomerPosition | undefined) {
  const found = await readFrom(c, book, query, { after, size: customersPerPage });
  return found.ok ? ok(customerCursors.pageUntil(found.value.rows, found.value.next)) : found;
}

interface Line {
  readonly customer: CustomerView;
  readonly isFirst: boolean;
  readonly sum: CustomerSum | undefined;
}

const { knownSince, since, firstSaleAt, ...plain } = customerRecord.columns(
  "customerKey",
  "partnerCode",
  "source",
  "since",
  "locked",
  "knownSince",
  "firstSaleAt",
);

const amountOf = (sum: CustomerSum | undefined, name: "amountCents" | "refundedCents" | "commissionCents") =>
  sum === undefined ? null : amountCell(sum[name], sum.currency);

/** A line for each currency of a customer, so that each column can be added up. */
export const customerColumns: ExportColumns<Line> = {
  customer_key: ({ customer }) => plain.customerKey(customer),
  partner_code: ({ customer }) => plain.partnerCode(customer),
  source: ({ customer }) => plain.source(customer),
  since: ({ customer }) => since(customer),
  locked: ({ customer }) => plain.locked(customer),
  known_since: ({ customer }) => knownSince(customer),
  first_sale_at: ({ customer }) => firstSaleAt(customer),
  other_sales: ({ customer, isFirst }) => (isFirst ? countWhere(customer.sums, 0) : 0),
  sales: ({ customer, sum }) => (customer.sums === null ? null : (sum?.sales ?? 0)),
  currency: ({ sum }) => sum?.currency ?? null,
  amount: ({ sum }) => amountOf(sum, "amountCents"),
  refunded: ({ sum }) => amountOf(sum, "refundedCents"),
  commission: ({ sum }) => amountOf(sum, "commissionCents"),
};

function linesOf(customer: CustomerView): readonly Line[] {
  const sums = sumsWhere(customer.sums ?? [], 1);
  const lines: readonly (CustomerSum | undefined)[] = sums.length > 0 ? sums : [undefined];
  return lines.map((sum, i) => ({ customer, isFirst: i === 0, sum }));
}

/** Sends a file with all customers. */
export const downloadCustomers = (c: Ctx, by: Downloader, book: Book, query: Query) =>
  downloadPages(c, by, customerColumns, async (after: CustomerPosition | undefined): Promise<Result<Part>> => {
    const found = await readFrom(c, book, query, { after, size: customersPerPart });
    return found.ok ? ok({ page: found.value.rows.flatMap(linesOf), next: found.value.next }) : found;
  });

interface Part {
  readonly page: readonly Line[];
  readonly next: CustomerPosition | undefined;
}
