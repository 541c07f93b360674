import type { ExitCode } from "../../sdk/cli/exit.ts";
import { erasedAgain } from "../audit/across-rules.ts";
import type { Finding } from "../audit/ledger.ts";
import { printed } from "../audit/report.ts";
import { withClient } from "../database/client.ts";
import type { Databases } from "../database/databases.ts";
import type { ErasuresFile } from "./erasures-file.ts";
import { knownAgain, wantedOf } from "./known-again.ts";
import { partnersBack } from "./partners-back.ts";

const maxRows = 20;

/** Finds rows, on any shard, that contain data of a person whom an erasure in the file has erased. */
export async function auditErasures(
  databases: Databases,
  erasures: ErasuresFile,
  hashSecret: string,
): Promise<readonly Finding[]> {
  const wanted = await wantedOf(erasures, erasures.receipts);
  const rows: Record<string, string | number>[] = [];
  for (const database of databases) {
    await withClient(database, async (client) => {
      for (const { id, partnerId } of await partnersBack(client, erasures.receipts)) {
        rows.push({ shard: database.shard, partners: partnerId, receipt: id });
      }
      for await (const { table, id, receipt } of knownAgain(client, {
        wanted,
        hashSecret,
        clicksOf: [...wanted.keys()],
      })) {
        rows.push({ shard: database.shard, [table]: id, receipt: receipt.id });
        if (rows.length > maxRows) return;
      }
    });
  }
  return rows.length === 0
    ? []
    : [{ broken: erasedAgain, rows: rows.slice(0, maxRows), hasMore: rows.length > maxRows }];
}

export const reportErasures = async (...audited: Parameters<typeof auditErasures>): Promise<ExitCode> =>
  printed(await auditErasures(...audited), "What was erased is gone", 1);
