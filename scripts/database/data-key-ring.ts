import { resolve } from "node:path";
import { type DataKeyRing, parseDataKeys } from "#domain/data-keys.ts";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { readSecrets } from "../backup/fingerprints.ts";
import { ExplainedError } from "../command.ts";
import { keyRingFault } from "../service/secrets.ts";

interface Where {
  /** The file with the secrets. The default is the one in the data folder. */
  readonly file?: string | undefined;
  readonly folder?: string | undefined;
}

/**
 * Returns the data keys from the environment, or otherwise from the file. Undefined if there are none. Throws an
 * `ExplainedError` if they are malformed.
 */
export async function findRing({ file: named, folder }: Where): Promise<DataKeyRing | undefined> {
  const file = fileOf({ file: named, folder });
  const fromEnvironment = process.env.DATA_KEYS;
  const text = fromEnvironment || (await readSecrets(file)).DATA_KEYS;
  if (!text) return undefined;
  const ring = parseDataKeys(text);
  if (ring !== undefined) return ring;
  throw new ExplainedError(keyRingFault("DATA_KEYS", text, fromEnvironment ? "the environment" : file));
}

export async function requireRing(where: Where): Promise<DataKeyRing> {
  const ring = await findRing(where);
  if (ring === undefined) throw new ExplainedError(`DATA_KEYS is neither in the environment nor in ${fileOf(where)}.`);
  return ring;
}

const fileOf = ({ file, folder }: Where): string =>
  file === undefined ? secretsFileOf(dataFolder(folder)) : resolve(file);
