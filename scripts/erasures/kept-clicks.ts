import { DatabaseSync } from "node:sqlite";
import { erasingOf } from "#operations/privacy/erasing.ts";
import { erasedClick } from "#store/person-writes.ts";
import type { ErasureKeys } from "./erasure-keys.ts";
import { receiptFinder, type Wanted } from "./known-again.ts";

/**
 * Erases clicks that a Ledger's storage has buffered, because writing them later would restore erased data. No service
 * may run. Returns the number of erased clicks.
 */
export function eraseKeptClicks(file: string, lacking: readonly Wanted[], keys: ErasureKeys): number {
  const database = new DatabaseSync(file);
  try {
    const table = database.prepare("select 1 from pragma_table_info('clicks') where name = 'click'").get();
    if (table === undefined) return 0;
    const rows = database.prepare("select seq, program_id, click_id, click from clicks").iterate();
    const finders = lacking.map((wanted) => receiptFinder(wanted, keys.hashSecret));
    const changes: (readonly [clickId: string, click: string, seq: number])[] = [];
    for (const { seq, program_id, click_id, click } of rows) {
      const programId = Number(program_id);
      const [receipt] = finders.flatMap((find) => find(programId, String(click_id)) ?? []);
      if (receipt === undefined) continue;
      const row = erasedClick(erasingOf(receipt, { names: [], pseudonyms: [] }, keys), JSON.parse(String(click)));
      changes.push([String(row.clickId), JSON.stringify(row), Number(seq)]);
    }
    const update = database.prepare("update clicks set click_id = ?, event_id = null, click = ? where seq = ?");
    database.exec("begin");
    for (const change of changes) update.run(...change);
    database.exec("commit");
    return changes.length;
  } finally {
    database.close();
  }
}
