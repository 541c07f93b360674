import type { Client, Row } from "@libsql/client/http";
import { erasedDigest } from "#domain/erasure.ts";
import type { ErasureReceipt, ErasuresFile } from "./erasures-file.ts";

/** Receipts by program, and by the digests of what they erased. */
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

/** The receipt of the erasure that a text of a program fell to. */
export type ReceiptOf = (programId: number, text: string) => ErasureReceipt | undefined;

export const receiptFinder =
  (wanted: Wanted, hashSecret: string): ReceiptOf =>
  (programId, text) =>
    wanted.get(programId)?.get(erasedDigest({ programId, hashSecret }, text));

/** A row that names somebody who was erased after it was written. */
export interface KnownAgain {
  readonly table: "customers" | "leads" | "clicks";
  readonly id: number;
  readonly receipt: ErasureReceipt;
  /** As callers have named the customer. */
  readonly name?: string;
  readonly clickId?: string;
}

interface Scan {
  readonly table: KnownAgain["table"];
  readonly columns: string;
  readonly condition: string;
  find(row: Row, receiptOf: (text: string) => ErasureReceipt | undefined): Omit<KnownAgain, "table" | "id"> | undefined;
}

/** One without a key is known by nothing but the address and the clicks: all of them must have been erased. */
const customers: Scan = {
  table: "customers",
  columns: `t.customer_key, t.email_hash, iif(t.customer_key is null,
    (select json_group_array(k.click_id) from customer_clicks k where k.customer_id = t.id), '[]') as clicks`,
  condition: "not t.is_erased",
  find(row, receiptOf) {
    if (row.customer_key !== null) {
      const name = String(row.customer_key);
      const receipt = receiptOf(name);
      return receipt && { receipt, name };
    }
    const clicks = JSON.parse(String(row.clicks)) as readonly string[];
    const names = row.email_hash === null ? clicks : [...clicks, String(row.email_hash)];
    const receipts = names.map(receiptOf);
    const [receipt] = receipts;
    return receipt && !receipts.includes(undefined) ? { receipt } : undefined;
  },
};

const leads: Scan = {
  table: "leads",
  columns: "t.unsettled_key",
  condition: "t.unsettled_key is not null",
  find(row, receiptOf) {
    const [kind, ...rest] = String(row.unsettled_key).split(" ");
    const text = rest.join(" ");
    const receipt = receiptOf(text);
    return receipt && { receipt, ...(kind === "click" ? { clickId: text } : { name: text }) };
  },
};

const clicks: Scan = {
  table: "clicks",
  columns: "t.click_id",
  condition: "true",
  find(row, receiptOf) {
    const clickId = String(row.click_id);
    const receipt = receiptOf(clickId);
    return receipt && { receipt, clickId };
  },
};

const pageRows = 2_000;

async function* scanned(
  client: Client,
  { table, columns, condition, find }: Scan,
  programIds: readonly number[],
  receiptOf: ReceiptOf,
): AsyncGenerator<KnownAgain, undefined> {
  for (let after = 0; ; ) {
    const { rows } = await client.execute({
      sql: `select t.id, t.program_id, t.created_at, ${columns} from ${table} t
        where t.id > ? and t.program_id in (select value from json_each(?)) and ${condition} order by t.id limit ${pageRows}`,
      args: [after, JSON.stringify(programIds)],
    });
    for (const row of rows) {
      const found = find(row, (text) => receiptOf(Number(row.program_id), text));
      if (found && Number(row.created_at) <= found.receipt.requestedAt) yield { table, id: Number(row.id), ...found };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last.id);
  }
}

/** Of both books. Clicks come last, and only those of the programs named: a database may have many. */
export async function* knownAgain(
  client: Client,
  {
    wanted,
    hashSecret,
    clicksOf,
  }: { readonly wanted: Wanted; readonly hashSecret: string; readonly clicksOf: readonly number[] },
): AsyncGenerator<KnownAgain, undefined> {
  const receiptOf = receiptFinder(wanted, hashSecret);
  const programIds = [...wanted.keys()];
  yield* scanned(client, customers, programIds, receiptOf);
  yield* scanned(client, leads, programIds, receiptOf);
  if (clicksOf.length > 0) yield* scanned(client, clicks, clicksOf, receiptOf);
}
