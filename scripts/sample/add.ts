import { parseClickKeyRing } from "#domain/click-id.ts";
import { parseDataKeys } from "#domain/data-keys.ts";
import type { Database } from "../database/migrate.ts";
import { keyRingFault, type Secrets } from "../service/secrets.ts";
import { workspaceId } from "./demo.ts";
import { userId } from "./demo-user.ts";
import { seedSample } from "./seed.ts";

/** Adds the sample program to the demo workspace, once. Returns true if it was created. */
export async function addSampleProgram(database: Database, secrets: Secrets): Promise<boolean> {
  const { CLICK_KEYS: ring = "", HASH_SECRET: hashSecret = "", DATA_KEYS: dataRing = "" } = secrets;
  const clickKeys = parseClickKeyRing(ring);
  if (clickKeys === undefined) throw new Error(keyRingFault("CLICK_KEYS", ring, "the secrets file"));
  const dataKeys = parseDataKeys(dataRing);
  if (dataKeys === undefined) throw new Error(keyRingFault("DATA_KEYS", dataRing, "the secrets file"));
  const { url, authToken } = database;
  return seedSample({ url, authToken }, { workspaceId, userId, clickKeys, hashSecret, dataKeys });
}
