import { DatabaseSync } from "node:sqlite";
import type { SpillStorage } from "../../src/ledger/spill.ts";

export function memoryStorage(): SpillStorage {
  const db = new DatabaseSync(":memory:");
  return {
    exec: <T extends Record<string, SqlStorageValue>>(query: string, ...bindings: (string | number | null)[]) => {
      const isScript = query.trim().includes(";\n");
      if (isScript) db.exec(query);
      const rows = isScript ? [] : db.prepare(query).all(...bindings);
      return { toArray: () => rows as T[] };
    },
  };
}
