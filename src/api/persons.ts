import type { Context } from "hono";
import type { JSONParsed } from "hono/utils/types";
import { hourMs } from "#domain/calendar.ts";
import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { isJsonForm } from "#domain/erasure.ts";
import { ok, type Result } from "#domain/result.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import type { Outcome } from "#operations/operation.ts";
import type { PersonErased } from "#operations/privacy/erasure-commits.ts";
import type { ExportPersonCall } from "#operations/privacy/export-person.ts";
import type { NamedPerson } from "#requests/rpc.ts";
import { readOne } from "#store/database.ts";
import { type PersonRows, type PersonTable, type Position, readPersonPage, startPosition } from "#store/person.ts";
import { customersMeant } from "#store/person-asked.ts";
import { heldIn } from "#store/person-writes.ts";
import { allPages, pagesFrom } from "./all-pages.ts";
import { jsonLinesHeaders } from "./export-file.ts";
import { readFromDatabase } from "./read-database.ts";
import { askRequestLog, requestRecord } from "./requests.ts";

/** The tables in a customer's export. Tables about actions of members and of the service are left out. */
const exportedTables = [
  "customers",
  "customerClicks",
  "clicks",
  "leads",
  "sales",
  "commissions",
  "refunds",
  "commissionSignals",
  "notes",
] as const satisfies readonly PersonTable[];

const internal: readonly string[] = [
  "operationId",
  "movedOperationId",
  "unresolvedKey",
  "eventSeq",
  "isOtherKey",
  "isErased",
];
const isInstant = (name: string): boolean => name === "since" || /(At|Until)$/.test(name);

/** A row with instants in ISO 8601 and amounts in the currency's smallest unit. */
const exportedRow = (of: (typeof exportedTables)[number], row: object) => ({
  of,
  ...Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      internal.includes(name) ? [] : [[name, exported(name, value, heldIn(of)[name] ?? "")]],
    ),
  ),
});

function exported(name: string, value: unknown, held: string): unknown {
  if (typeof value === "number" && isInstant(name)) return timestampOrNull(value);
  return typeof value === "string" && isJsonForm(held) ? JSON.parse(value) : value;
}

/** Returns the identifiers that callers may have used for the customer. Call it before the customer is erased. */
export function namesMeant(c: Ctx, asked: Parameters<typeof customersMeant>[0]): Promise<Result<readonly string[]>> {
  return readFromDatabase(c, "program", async (database) => {
    const customers = await readOne(database, customersMeant(asked));
    const known = customers.flatMap(({ customerKey, otherKeys }) => [customerKey ?? [], otherKeys].flat());
    return [...new Set([...asked.keys, ...known])];
  });
}

/** The logged requests about a customer, in the form of an export. */
async function personRequests(c: Ctx, call: ExportPersonCall): Promise<Result<readonly object[]>> {
  const names = await namesMeant(c, call);
  if (!names.ok) return names;
  const { programId } = call;
  const logged = await askRequestLog(c, programId, (log) => log.listPerson({ programId, names: names.value }));
  if (!logged.ok) return logged;
  return ok(logged.value.map((call) => ({ of: "requests", ...requestRecord.reply({ ...call, keyName: undefined }) })));
}

type ExportedTable = (typeof exportedTables)[number];
type InProgram = Ctx & Pick<Context, "body"> & { get(name: "program"): { readonly id: number; readonly name: string } };

/** Rows of a page. Even with the longest rows, a page is smaller than the database's limit for a response. */
const pageSize = 200;

export const PersonRow = z
  .looseObject({
    of: z
      .enum([...exportedTables, "requests"])
      .describe("Table that the row is from, or `requests` for a call in the request log."),
  })
  .openapi("PersonRow");

/** Returns a file with one row in each line. Refuses if the first page can't be read. */
export async function personFile(
  c: InProgram,
  asked: PersonRows,
  call: ExportPersonCall,
): Promise<Result<ReturnType<typeof fileOf>>> {
  const readPage = (table: PersonTable) => async (after: Position | undefined) => {
    const page = { asked, after: after ?? startPosition, limit: pageSize };
    return readFromDatabase(c, "program", (database) => readPersonPage(database, table, page));
  };
  const file = await download(c, call, async () => {
    const [firstTable, ...others] = exportedTables;
    const first = await readPage(firstTable)(undefined);
    if (!first.ok) return first;
    const requests = await personRequests(c, call);
    if (!requests.ok) return requests;
    const lines = async function* (): AsyncGenerator<string, undefined> {
      const linesOfTable = (table: ExportedTable, rows: readonly object[]) =>
        linesOf(rows.map((row) => exportedRow(table, row)));
      for await (const { rows } of allPages(first.value, readPage(firstTable))) yield linesOfTable(firstTable, rows);
      for (const table of others) {
        for await (const { rows } of pagesFrom(readPage(table))) yield linesOfTable(table, rows);
      }
      yield linesOf(requests.value);
    };
    return ok({ parts: lines() });
  });
  return file.ok ? ok(fileOf(c, file.value.parts)) : file;
}

const fileOf = (c: InProgram, lines: AsyncGenerator<string>) =>
  jsonStream<JSONParsed<z.output<typeof PersonRow>>>(c, lines, jsonLinesHeaders(c.get("program"), "customer"));

const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

// A request to export many rows isn't stored. Its id is the encrypted call. Only the person who made the call can use
// it, for an hour.

type ExportAsked = Omit<ExportPersonCall, "kind" | "programId" | "actorId">;

const contextOf = ({ programId, actorId }: Pick<ExportPersonCall, "programId" | "actorId">): DataContext => ({
  purpose: "privacy-request",
  rowId: `export of ${programId} for ${actorId}`,
});

export function exportRequestId(c: Ctx, { kind: _, programId, actorId, ...asked }: ExportPersonCall): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const requested: ExportAsked = asked;
  return encryptData(dataKeysOf(c.env), contextOf({ programId, actorId }), JSON.stringify(requested), iv);
}

/** Returns undefined if the id is invalid or has expired. */
export async function exportRequested(
  c: Ctx,
  by: Pick<ExportPersonCall, "programId" | "actorId" | "at">,
  requestId: string,
): Promise<ExportPersonCall | undefined> {
  const plain = await decryptData(dataKeysOf(c.env), contextOf(by), requestId);
  if (plain === undefined) return undefined;
  const { at, ...asked } = JSON.parse(plain) as ExportAsked;
  if (by.at - at > hourMs) return undefined;
  return { ...asked, ...by, kind: "export-person", operationId: asked.operationId };
}

/** Removes the customer from the request log, even if no other data exists, or the customer was already erased. */
export async function eraseRequests(c: Ctx, person: NamedPerson, erased: Outcome<PersonErased>): Promise<Result<void>> {
  if (!erased.ok && erased.refusal.code !== "person_not_found") return ok<void>(undefined);
  const isErased = erased.ok || ("receiptId" in erased.refusal && erased.refusal.receiptId !== undefined);
  return askRequestLog(c, person.programId, (log) => log.erase({ ...person, isErased }));
}
