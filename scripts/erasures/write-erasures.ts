import { open } from "node:fs/promises";
import type { Client } from "@libsql/client/http";
import { isErasedSubject } from "#domain/erased-subject.ts";
import { writeWhole } from "../backup/whole-file.ts";
import { ExplainedError } from "../command.ts";
import { openClient } from "../database/client.ts";
import type { Databases } from "../database/databases.ts";
import { countMoves, requireNoMoves } from "../database/service-database.ts";
import type { Secrets } from "../service/secrets.ts";
import { type ErasureDigests, type ErasureReceipt, linesOf } from "./erasures-file.ts";

export interface WrittenErasures {
  readonly receipts: number;
  readonly digests: number;
}

const pageRows = 5_000;
const maxTries = 10;

class ChangedMeanwhile extends Error {}

/**
 * Writes the file of erasures, which contains no names. If it fails, leaves nothing behind and throws an
 * `ExplainedError`.
 */
export async function writeErasures(
  databases: Databases,
  options: { readonly file: string; readonly secrets: Secrets; readonly replaces: boolean },
): Promise<WrittenErasures> {
  const clients = databases.map(({ url, authToken }) => openClient({ url, authToken }));
  try {
    return await writeWhole(options, async (partial) => {
      for (let tries = 1; ; tries += 1) {
        const moves = await countMoves(databases);
        await requireNoMoves(databases);
        try {
          const written = await writeOnce(clients, partial, options.secrets);
          // The erasures of a program that moved meanwhile may have been read on neither shard.
          if ((await countMoves(databases)) === moves) return written;
        } catch (error) {
          if (!(error instanceof ChangedMeanwhile)) throw error;
        }
        if (tries >= maxTries)
          throw new ExplainedError("Customers are being erased, or programs moved, meanwhile. Run again.");
      }
    });
  } finally {
    for (const client of clients) client.close();
  }
}

async function writeOnce(clients: readonly Client[], partial: string, secrets: Secrets): Promise<WrittenErasures> {
  const receipts = (await Promise.all(clients.map(readReceipts))).flat();
  const known = new Set(receipts.map(({ id }) => id));
  let count = 0;
  async function* digests() {
    for (const client of clients) {
      for await (const each of digestsOf(client)) {
        if (!known.has(each.receiptId)) throw new ChangedMeanwhile();
        count += each.digests.length;
        yield each;
      }
    }
  }
  const handle = await open(partial, "w", 0o600);
  try {
    await handle.writeFile(linesOf(secrets, receipts, digests()));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { receipts: receipts.length, digests: count };
}

/** Reads the receipts of programs on this shard. */
async function readReceipts(client: Client): Promise<readonly ErasureReceipt[]> {
  const { rows } = await client.execute(
    `select e.id, e.program_id, e.subject, e.requested_by, e.requested_at,
       (select o.id from partners o where o.erasure_id = e.id) as partner_id from erasures e
     join programs p on p.id = e.program_id and p.place in ('here', 'leaving') order by e.requested_at, e.id`,
  );
  return rows.map((row) => {
    const subject = String(row.subject);
    if (!isErasedSubject(subject))
      throw new ExplainedError(`The erasure ${row.id} is of a later release. Use that one.`);
    return {
      id: String(row.id),
      programId: Number(row.program_id),
      subject,
      requestedBy: String(row.requested_by),
      requestedAt: Number(row.requested_at),
      ...(row.partner_id !== null && { partnerId: Number(row.partner_id) }),
    };
  });
}

async function* digestsOf(client: Client): AsyncGenerator<ErasureDigests, undefined> {
  for (let last: readonly [number, string] = [0, ""]; ; ) {
    const { rows } = await client.execute({
      sql: `select i.program_id, i.digest, i.erasure_id from erased_identifiers i
        where (i.program_id, i.digest) > (?, ?) and exists (
          select 1 from programs p where p.id = i.program_id and p.place in ('here', 'leaving'))
        order by i.program_id, i.digest limit ${pageRows}`,
      args: [...last],
    });
    const byReceipt = Map.groupBy(rows, (row) => String(row.erasure_id));
    for (const [receiptId, each] of byReceipt) yield { receiptId, digests: each.map(({ digest }) => String(digest)) };
    const end = rows.at(-1);
    if (end === undefined) return;
    last = [Number(end.program_id), String(end.digest)];
  }
}
