import { resolve } from "node:path";
import { type ErasureKeys, erasureKeysOf, erasureSecrets } from "./erasure-keys.ts";
import { type ErasuresFile, openErasures } from "./erasures-file.ts";

export interface NamedErasures {
  readonly file: ErasuresFile;
  readonly keys: ErasureKeys;
}

/** Reads the file of erasures that is named on the command line, for a command on databases. */
export async function namedErasures(
  name: string,
  secretsFile: string | undefined,
  folder: string | undefined,
): Promise<NamedErasures> {
  const { secrets, place } = await erasureSecrets(secretsFile, folder);
  const keys = erasureKeysOf(secrets, place);
  return { file: await openErasures(resolve(name), secrets), keys };
}
