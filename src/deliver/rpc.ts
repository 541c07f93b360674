import type { Shard } from "#domain/ids.ts";

export interface DelivererRpc {
  /** Has the shard's due mails sent soon. It survives a restart. */
  wake(shard: Shard): Promise<void>;
}
