import type { Client, Row } from "@libsql/client/http";
import { erasedAgainDigest, erasedCustomerDigest, erasedDigest } from "#domain/erasure.ts";
import { readUnresolvedKey } from "#domain/unresolved-key.ts";
import type { ErasureReceipt, ErasuresFile } from "./erasures-file.ts";

/** The receipts to look for, by program and by the digests of erased values. */
export type Wanted = ReadonlyMap<number, ReadonlyMap<string, ErasureReceipt>>;

export async function wantedOf(erasures: ErasuresFile, receipts: readonly ErasureReceipt[]): Promise<Wanted> {
  const wanted = new Map<number, Map<string, ErasureReceipt>>();
  const byId = new Map(receipts.map((receipt) => [receipt.id, receipt]));
  for (const { programId } of receipts) wanted.set(programId, new Map());
  for await (const { receiptId, digests } of erasures.digests()) {
    const receipt = byId.get(receiptId);
    if (receipt === undefined) continue;
    for (const digest of digests) wanted.get(receipt.programId)?.set(digest, receipt);
  }
  return wanted;
}

/** The receipt of the erasure that covers a text in a program. */
export type ReceiptOf = (programId: number, text: string) => ErasureReceipt | undefined;

export const receiptFinder =
  (wanted: Wanted, hashSecret: string): ReceiptOf =>
  (programId, text) =>
    wanted.get(programId)?.get(erasedDigest({ programId, hashSecret }, text));

/** A row that contains data of a person and was written after their erasure. */
export interface KnownAgain {
  readonly table: "customers" | "leads" | "clicks";
  readonly id: number;
  readonly receipt: ErasureReceipt;
  /** The `customer_key` as callers sent it. */
  readonly name?: string;
  readonly clickId?: string;
  /** The pseudonym of an erased customer about whom data was reported after the erasure. */
  readonly pseudonym?: string | null;
}

interface Receipts {
  of(text: string): ErasureReceipt | undefined;
  ofCustomer(id: number): ErasureReceipt | undefined;
  ofErasedCustomer(id: number): ErasureReceipt | undefined;
}

interface Scan {
  readonly table: KnownAgain["table"];
  readonly columns: string;
  readonly condition: string;
  find(row: Row, receipts: Receipts): Omit<KnownAgain, "table" | "id"> | undefined;
}

const subjects = `select 'customer ' || t.id
  union all select 'sale ' || s.id from sales s where s.customer_id = t.id
  union all select 'commission ' || c.id from sales s join commissions c on c.sale_id = s.id where s.customer_id = t.id`;

/** The time of the first report of a sale or note about an erased customer. */
const toldSince = `(select min(at) from (
  select s.created_at as at from sales s where s.customer_id = t.id and not s.is_erased
  union all select a.created_at from audit_entries a
    join json_tree(coalesce(a.after, '{}')) v on v.key = 'note' and v.type = 'integer' join notes n on n.id = v.value
    where a.program_id = t.program_id and a.subject in (${subjects}) and n.text is not null))`;

/** Erased customers for whom a later erasure has erased more data. */
const erasedCustomers: Scan = {
  table: "customers",
  columns: `t.customer_key, ${toldSince} as told_since`,
  condition: "t.is_erased",
  find({ id, customer_key: key, told_since: since }, receipts) {
    const receipt = since === null ? undefined : receipts.ofErasedCustomer(Number(id));
    if (receipt === undefined || Number(since) > receipt.requestedAt) return undefined;
    return { receipt, pseudonym: key === null ? null : String(key) };
  },
};

/** Finds customers only by id and key, because other people may have the same address or click. */
const customers: Scan = {
  table: "customers",
  columns: "t.customer_key",
  condition: "not t.is_erased",
  find({ id, customer_key: key }, receipts) {
    const name = key === null ? undefined : String(key);
    const receipt = receipts.ofCustomer(Number(id)) ?? (name === undefined ? undefined : receipts.of(name));
    return receipt && { receipt, ...(name !== undefined && { name }) };
  },
};

const leads: Scan = {
  table: "leads",
  columns: "t.unsettled_key",
  condition: "t.unsettled_key is not null",
  find(row, receipts) {
    const { kind, text } = readUnresolvedKey(String(row.unsettled_key));
    const receipt = receipts.of(text);
    return receipt && { receipt, ...(kind === "click" ? { clickId: text } : { name: text }) };
  },
};

const clicks: Scan = {
  table: "clicks",
  columns: "t.click_id",
  condition: "true",
  find(row, receipts) {
    const clickId = String(row.click_id);
    const receipt = receipts.of(clickId);
    return receipt && { receipt, clickId };
  },
};

const pageRows = 2_000;

async function* scanned(
  client: Client,
  { table, columns, condition, find }: Scan,
  programIds: readonly number[],
  receiptsOf: (programId: number) => Receipts,
): AsyncGenerator<KnownAgain, undefined> {
  for (let after = 0; ; ) {
    const { rows } = await client.execute({
      sql: `select t.id, t.program_id, t.created_at, ${columns} from ${table} t
        where t.id > ? and t.program_id in (select value from json_each(?)) and ${condition} order by t.id limit ${pageRows}`,
      args: [after, JSON.stringify(programIds)],
    });
    for (const row of rows) {
      const found = find(row, receiptsOf(Number(row.program_id)));
      if (found && Number(row.created_at) <= found.receipt.requestedAt) yield { table, id: Number(row.id), ...found };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last.id);
  }
}

/**
 * Finds rows with data of erased people, in both books. Searches clicks last, and only those of the affected programs,
 * because a database may have many.
 */
export async function* knownAgain(
  client: Client,
  {
    wanted,
    hashSecret,
    clicksOf,
  }: { readonly wanted: Wanted; readonly hashSecret: string; readonly clicksOf: readonly number[] },
): AsyncGenerator<KnownAgain, undefined> {
  const receiptOf = receiptFinder(wanted, hashSecret);
  const receiptsOf = (programId: number): Receipts => ({
    of: (text) => receiptOf(programId, text),
    ofCustomer: (id) => wanted.get(programId)?.get(erasedCustomerDigest({ programId, hashSecret }, id)),
    ofErasedCustomer: (id) => wanted.get(programId)?.get(erasedAgainDigest({ programId, hashSecret }, id)),
  });
  const programIds = [...wanted.keys()];
  yield* scanned(client, customers, programIds, receiptsOf);
  yield* scanned(client, erasedCustomers, programIds, receiptsOf);
  yield* scanned(client, leads, programIds, receiptsOf);
  if (clicksOf.length > 0) yield* scanned(client, clicks, clicksOf, receiptsOf);
}
