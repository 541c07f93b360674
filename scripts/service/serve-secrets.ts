import { existsSync } from "node:fs";
import { join } from "node:path";
import { minSecretLength } from "#check-env.ts";
import { ExplainedError } from "../command.ts";
import {
  keyRingFault,
  keyRingNames,
  listed,
  missingSecrets,
  type Secrets,
  secretNames,
  withNewSecrets,
} from "./secrets.ts";
import { readSecretsFile, writeSecretsFile } from "./secrets-file.ts";

interface Sources {
  /** The secrets file that the operator specifies. It is only read. */
  readonly named?: string | undefined;
  /** The secrets in the environment. */
  readonly given?: Secrets;
}

/**
 * Returns the Worker's secrets from the environment and from the named file, or otherwise from `secrets.env` in the
 * data folder. Missing secrets are created there if the folder has no data yet. MAIL_HOOK_SECRET is included if the
 * file contains it. Throws an `ExplainedError`.
 */
export async function serveSecrets(
  data: string,
  { named, given = {} }: Sources = {},
): Promise<Readonly<Record<string, string>>> {
  const file = await readSecretsFile(named ?? join(data, "secrets.env"));
  const twice = secretNames.find((name) => given[name] && file.values[name] && given[name] !== file.values[name]);
  if (twice !== undefined) {
    throw new ExplainedError(`${twice} in the environment isn't the one in ${file.path}. Remove the wrong one.`);
  }
  const missing = missingSecrets({ ...file.values, ...given });
  if (missing.length === 0) return checked(file.values, { given, path: file.path });
  if (named !== undefined)
    throw new ExplainedError(`${file.path} ${file.text === undefined ? "is not there" : `lacks ${listed(missing)}`}.`);
  if (existsSync(join(data, "sqld"))) {
    throw new ExplainedError(
      `${file.path} lacks ${listed(missing)}, which the data in ${data} was made with. Put back your copy of the file, or name it: --secrets-file <path>`,
    );
  }
  const { text, values } = withNewSecrets(file.text ?? "", given);
  await writeSecretsFile(file, text);
  return checked(values, { given, path: file.path });
}

interface Places {
  readonly given: Secrets;
  readonly path: string;
}

function checked(
  inFile: Readonly<Record<string, string | undefined>>,
  { given, path }: Places,
): Record<string, string> {
  const secrets = Object.fromEntries(secretNames.map((name) => [name, given[name] ?? inFile[name] ?? ""]));
  const placeOf = (name: keyof Secrets) => (given[name] === undefined ? path : "the environment");
  for (const name of keyRingNames) {
    const fault = keyRingFault(name, secrets[name] ?? "", placeOf(name));
    if (fault !== undefined) throw new ExplainedError(fault);
  }
  const short = secretNames.find((name) => (secrets[name] ?? "").length < minSecretLength);
  if (short !== undefined)
    throw new ExplainedError(`${short} in ${placeOf(short)} is shorter than ${minSecretLength} characters.`);
  return { ...secrets, ...(inFile.MAIL_HOOK_SECRET && { MAIL_HOOK_SECRET: inFile.MAIL_HOOK_SECRET }) };
}
