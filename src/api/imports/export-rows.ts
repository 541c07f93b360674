import type { ProgramId } from "#domain/ids.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { ok, type Result } from "#domain/result.ts";
import { noUnits } from "#domain/units.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import { cutPage } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { Caller } from "#http/turns.ts";
import type { Database } from "#store/database.ts";
import {
  type ExportedCustomer,
  type ExportedPartner,
  exportedCustomers,
  exportedPartners,
} from "#store/views/exports.ts";
import { allPages } from "../all-pages.ts";
import { csvContent, exportFile, exportJson, type PlainColumns } from "../export-file.ts";
import { readFromDatabase } from "../read-database.ts";

const pageSize = 500;
const exportKinds = ["partners", "customers"] as const;
type ExportKind = (typeof exportKinds)[number];

export const kindField = () =>
  fields.oneOf("kind", exportKinds).openapi({
    description:
      "`partners`: all partners. `customers`: live customers who can't move to another partner. The file has the columns of an import.",
  });

interface Asked extends Caller {
  readonly showsEmail: boolean;
  readonly isJson?: boolean;
  /**
   * Text at the start of the file. In a file for people, it is a byte order mark: without it, spreadsheets assume
   * another encoding.
   */
  readonly start: string;
}

/** Yields the parts of a file in the import format. Importing the file into an empty program creates the same data. */
export function exportRows(c: Ctx, kind: ExportKind, asked: Asked): Promise<Result<Opened>> {
  return download(c, asked, async () =>
    kind === "partners"
      ? linesOf(
          c,
          { ...asked, read: exportedPartners, first: 0, after: ({ id }) => id },
          partnerColumns(asked.showsEmail),
        )
      : linesOf(
          c,
          { ...asked, read: exportedCustomers, first: "", after: ({ customerKey }) => customerKey },
          customerColumns(Date.now()),
        ),
  );
}

interface Opened {
  readonly parts: AsyncGenerator<string, undefined>;
}

interface Listed<Row, After> extends Omit<Asked, "showsEmail"> {
  readonly first: After;
  after(last: Row): After;
  read(database: Database, asked: { programId: ProgramId; after: After; limit: number }): Promise<readonly Row[]>;
}

async function linesOf<Row, After extends string | number>(
  c: Ctx,
  { programId, isJson = false, start, first: position, after, read }: Listed<Row, After>,
  columns: PlainColumns<Row>,
): Promise<Result<Opened>> {
  const pageAfter = async (position: After) => {
    const found = await readFromDatabase(c, "program", (database) =>
      read(database, { programId, after: position, limit: pageSize + 1 }),
    );
    if (!found.ok) return found;
    const { page, last } = cutPage(found.value, pageSize);
    return ok({ page, next: last && after(last) });
  };
  const first = await pageAfter(position);
  if (!first.ok) return first;
  const pages = allPages(first.value, pageAfter);
  return ok({ parts: isJson ? exportJson(columns, pages) : exportFile(columns, pages, { units: noUnits, start }) });
}

const partnerColumns = (showsEmail: boolean): PlainColumns<ExportedPartner> => ({
  name: ({ name }) => name,
  code: ({ codes }) => codes,
  email: ({ email }) => (showsEmail ? email : null),
  external_id: ({ externalId }) => externalId,
  destination_url: ({ destinationUrl }) => destinationUrl,
  group: ({ group }) => group,
  status: ({ status }) => status,
});

/** Sets `pay_past` for rows whose `since` is in the past: the import requires it even in an empty program. */
const customerColumns = (now: number): PlainColumns<ExportedCustomer> => ({
  customer_key: ({ customerKey }) => customerKey,
  partner_code: ({ partnerCode }) => partnerCode,
  since: ({ since }) => timestamp(since),
  pay_past: ({ since }) => (since < now ? true : null),
  first_sale_at: ({ firstSaleAt }) => timestampOrNull(firstSaleAt),
  subscription_id: ({ subscriptionId }) => subscriptionId,
});

export const exportContent = csvContent(partnerColumns(true), "");

const text = z.string().nullable();

export const ExportedRows = z
  .object({
    data: z
      .array(
        z.union([
          z
            .object({
              name: z.string(),
              code: z.string().describe("The partner's code. Several codes are separated by `;`."),
              email: text,
              external_id: text,
              destination_url: text,
              group: text,
              status: z.enum(activeStatuses),
            })
            .openapi("ExportedPartner"),
          z
            .object({
              customer_key: z.string(),
              partner_code: z.string(),
              since: z.iso.datetime(),
              pay_past: z.literal(true).nullable().describe("True if `since` is in the past: imports require it."),
              first_sale_at: z.iso.datetime().nullable(),
              subscription_id: text,
            })
            .openapi("ExportedCustomer"),
        ]),
      )
      .describe("Rows with the columns of the file."),
  })
  .openapi("ExportedRows");
