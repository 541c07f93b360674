import { resolve } from "node:path";
import { type ClickKeyRing, parseClickKeyRing } from "#domain/click-id.ts";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { readSecrets } from "../backup/fingerprints.ts";
import { ExplainedError } from "../command.ts";
import { keyRingFault, listed, type Secrets } from "../service/secrets.ts";

/** The secrets from which pseudonyms are derived. */
export interface ErasureKeys {
  readonly clickKeys: ClickKeyRing;
  readonly hashSecret: string;
}

const names = ["HASH_SECRET", "CLICK_KEYS"] as const;

/**
 * Returns the keys from the secrets. Throws an `ExplainedError` unless both are there. `place` is the secrets' file, or
 * the environment.
 */
export function erasureKeysOf(secrets: Secrets, place: string): ErasureKeys {
  const missing = names.filter((name) => !secrets[name]);
  if (missing.length > 0) {
    throw new ExplainedError(
      `Erasures need ${listed(names)} of the service, and ${place} lacks ${listed(missing)}. Name their file: --secrets-file`,
    );
  }
  const { HASH_SECRET: hashSecret = "", CLICK_KEYS: ring = "" } = secrets;
  const clickKeys = parseClickKeyRing(ring);
  if (clickKeys === undefined) throw new ExplainedError(keyRingFault("CLICK_KEYS", ring, place) ?? "");
  return { hashSecret, clickKeys };
}

export interface PlacedSecrets {
  readonly secrets: Secrets;
  readonly place: string;
}

/**
 * Returns the secrets for a command on databases: from the named file, otherwise from the environment, otherwise from
 * the data folder.
 */
export async function erasureSecrets(named: string | undefined, folder: string | undefined): Promise<PlacedSecrets> {
  const { HASH_SECRET, CLICK_KEYS } = process.env;
  if (named === undefined && HASH_SECRET) {
    return { secrets: { HASH_SECRET, ...(CLICK_KEYS && { CLICK_KEYS }) }, place: "the environment" };
  }
  const file = named === undefined ? secretsFileOf(dataFolder(folder)) : resolve(named);
  return { secrets: await readSecrets(file), place: file };
}
