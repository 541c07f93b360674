import { existsSync } from "node:fs";
import { join } from "node:path";
import { minSecretLength } from "#check-env.ts";
import { ExplainedError } from "../command.ts";
import { keyRingFault, keyRingNames, listed, missingSecrets, secretNames, withNewSecrets } from "./secrets.ts";
import { readSecretsFile, writeSecretsFile } from "./secrets-file.ts";

/**
 * Returns the Worker's secrets from the named file, which is only read, or from `secrets.env` in the data folder, which is
 * created if the folder has no data yet. With MAIL_HOOK_SECRET, if the file has it. Throws an `ExplainedError`.
 */
export async function serveSecrets(data: string, named: string | undefined): Promise<Readonly<Record<string, string>>> {
  const file = await readSecretsFile(named ?? join(data, "secrets.env"));
  const missing = missingSecrets(file.values);
  if (missing.length === 0) return checked(file.values, file.path);
  if (named !== undefined)
    throw new ExplainedError(`${file.path} ${file.text === undefined ? "is not there" : `lacks ${listed(missing)}`}.`);
  if (existsSync(join(data, "sqld"))) {
    throw new ExplainedError(
      `${file.path} lacks ${listed(missing)}, which the data in ${data} was made with. Put back your copy of the file, or name it: --secrets-file <path>`,
    );
  }
  const { text, values } = withNewSecrets(file.text ?? "");
  await writeSecretsFile(file, text);
  return checked(values, file.path);
}

function checked(values: Readonly<Record<string, string | undefined>>, path: string): Record<string, string> {
  const secrets = Object.fromEntries(secretNames.map((name) => [name, values[name] ?? ""]));
  for (const name of keyRingNames) {
    const fault = keyRingFault(name, secrets[name] ?? "", path);
    if (fault !== undefined) throw new ExplainedError(fault);
  }
  const short = secretNames.find((name) => (secrets[name] ?? "").length < minSecretLength);
  if (short !== undefined)
    throw new ExplainedError(`${short} in ${path} is shorter than ${minSecretLength} characters.`);
  return { ...secrets, ...(values.MAIL_HOOK_SECRET && { MAIL_HOOK_SECRET: values.MAIL_HOOK_SECRET }) };
}
