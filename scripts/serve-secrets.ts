import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseClickKeyRing } from "../src/domain/click-id.ts";
import { makeSecret, missingSecrets, withNewSecrets } from "./secrets.ts";
import { readSecretsFile, SecretsError, writeSecretsFile } from "./secrets-file.ts";

type Name = keyof typeof makeSecret;
const names = Object.keys(makeSecret) as Name[];
const minLength = 32;

/**
 * The Worker's secrets: of the file that is named, which is only read, or else of `secrets.env` in the data folder, which
 * is made for a folder that holds no data yet.
 */
export async function serveSecrets(data: string, named: string | undefined): Promise<Readonly<Record<string, string>>> {
  const file = await readSecretsFile(named ?? join(data, "secrets.env"));
  const missing = missingSecrets(file.values);
  if (missing.length === 0) return checked(file.values, file.path);
  if (named !== undefined)
    throw new SecretsError(`${file.path} ${file.text === undefined ? "is not there" : `lacks ${listed(missing)}`}.`);
  if (existsSync(join(data, "sqld"))) {
    throw new SecretsError(
      `${file.path} lacks ${listed(missing)}, which the data in ${data} was made with. Put back your copy of the file, or name it: --secrets-file <path>`,
    );
  }
  const { text, values } = withNewSecrets(file.text ?? "");
  await writeSecretsFile(file, text);
  return checked(values, file.path);
}

function checked(values: Readonly<Record<string, string | undefined>>, path: string): Record<string, string> {
  const secrets = Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
  if (parseClickKeyRing(secrets.CLICK_KEYS ?? "") === undefined) {
    throw new SecretsError(
      `CLICK_KEYS in ${path} must be <id>:<base64url of at least 32 bytes>[,…], with unique ids from 0 to 255.`,
    );
  }
  const short = names.find((name) => (secrets[name] ?? "").length < minLength);
  if (short !== undefined) throw new SecretsError(`${short} in ${path} is shorter than ${minLength} characters.`);
  return secrets;
}

const listed = (missing: readonly string[]): string => new Intl.ListFormat("en").format(missing);
