import { addressDigests, addressHashes } from "#domain/email-digest.ts";
import type { ExitCode } from "../../sdk/cli/exit.ts";
import { withClient } from "../database/client.ts";
import type { Databases } from "../database/databases.ts";
import { foreignAddress } from "./across-rules.ts";
import type { Row } from "./invariant.ts";
import type { Finding } from "./ledger.ts";
import { printed } from "./report.ts";

const rowsOfPage = 1_000;
const maxRows = 20;

const partnersAfter = `select p.id, p.program_id, p.email, p.email_hash from partners p
  join programs g on g.id = p.program_id and g.place in ('here', 'leaving')
  where p.id > ? and p.email is not null order by p.id limit ${rowsOfPage}`;

/** Finds partners whose address doesn't match its digest. Computing the digest requires the service's secret. */
export async function auditAddresses(databases: Databases, hashSecret: string): Promise<readonly Finding[]> {
  const found: Row[] = [];
  for (const database of databases) {
    await withClient(database, async (client) => {
      for (let last = 0, rows: readonly Row[] = []; found.length <= maxRows; last = Number(rows.at(-1)?.id)) {
        rows = (await client.execute({ sql: partnersAfter, args: [last] })).rows;
        const wrong = rows.filter((row) => !isOfDigest(row, hashSecret));
        found.push(...wrong.map(({ id }) => ({ shard: database.shard, partner: id })));
        if (rows.length < rowsOfPage) return;
      }
    });
  }
  if (found.length === 0) return [];
  return [{ broken: foreignAddress, rows: found.slice(0, maxRows), hasMore: found.length > maxRows }];
}

/** Only ASCII addresses are checked, because releases differ in how they spell other domains before hashing. */
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

function isOfDigest({ program_id, email, email_hash }: Row, secret: string): boolean {
  const { emailHash } = addressHashes(secret, Number(program_id), addressDigests(secret, String(email)));
  return emailHash === email_hash || !isAscii(String(email));
}

export const reportAddresses = async (databases: Databases, hashSecret: string): Promise<ExitCode> =>
  printed(await auditAddresses(databases, hashSecret), "Addresses are those of their digests", 1);
