import { isDeepStrictEqual, parseEnv } from "node:util";
import { ExplainedError } from "../command.ts";
import {
  keyRingFault,
  keyRingNames,
  listed,
  newSecret,
  type SecretName,
  type Secrets,
  secretLine,
  secretNames,
  withNewKey,
} from "../service/secrets.ts";
import type { SecretsFile } from "../service/secrets-file.ts";

type Values = Readonly<Record<string, string | undefined>>;

export interface SecretsRequest {
  readonly worker: string;
  readonly databaseUrl: string;
  readonly environment: Values;
  readonly file: SecretsFile;
  /** The names of the secrets that Cloudflare has. Cloudflare never shows their values. */
  readonly existing: ReadonlySet<string>;
  readonly makesMissing: boolean;
  readonly rotatesClickKeys: boolean;
}

export interface SecretsDecision {
  readonly sent: Secrets;
  readonly fromFile: readonly SecretName[];
  /** The new text of the secrets file, which must be on disk before anything is sent. Undefined if no secret is new. */
  readonly fileText: string | undefined;
}

/**
 * Decides which secrets to send. Secrets in the environment are sent. Secrets that Cloudflare lacks come from the file,
 * or are generated. Throws an `ExplainedError` if the sources contradict each other or a secret in use would be lost.
 */
export function decideSecrets(request: SecretsRequest): SecretsDecision {
  const { environment, file, existing, makesMissing, rotatesClickKeys } = request;
  // Secrets belong to the data, so the secrets of another database don't count.
  const isOfAnother = ![undefined, request.databaseUrl].includes(file.values.DATABASE_URL);
  const kept: Values = isOfAnother ? {} : file.values;
  refuseConflicts(environment, kept, file.path);

  const fromFile = secretNames.filter((name) => !environment[name] && kept[name] && !existing.has(name));
  const missing = secretNames.filter((name) => !environment[name] && !kept[name] && !existing.has(name));
  if (isOfAnother && (missing.length > 0 || rotatesClickKeys)) {
    throw new ExplainedError(
      `${file.path} holds the secrets of a deployment with another DATABASE_URL. Name another file: --secrets-file <path>. If this is the same data at a new address, correct DATABASE_URL in the file.`,
    );
  }
  if (missing.length > 0 && !makesMissing) {
    throw new ExplainedError(
      `Neither the Worker, nor the environment, nor ${file.path} has ${listed(missing)}. They sign click ids and sessions, key the digests and encrypt data, and are kept as long as the data. On the first deployment, make them: npm run deploy -- --new-secrets`,
    );
  }
  if (missing.length > 0 && file.text !== undefined) {
    throw new ExplainedError(
      `${file.path} exists without ${listed(missing)}, and is not overwritten. Name another file for new secrets: --secrets-file <path>`,
    );
  }

  const fresh: Partial<Record<SecretName, string>> = Object.fromEntries(missing.map((name) => [name, newSecret(name)]));
  if (rotatesClickKeys) fresh.CLICK_KEYS = rotated(environment.CLICK_KEYS || kept.CLICK_KEYS, file.path);
  const sent = { ...pick(kept, fromFile), ...pick(environment, secretNames), ...fresh };
  const isChanged = Object.keys(fresh).length > 0;
  return {
    sent,
    fromFile: fromFile.filter((name) => fresh[name] === undefined),
    fileText: isChanged ? withSecrets(file.text ?? heading(request), fresh, file.path) : undefined,
  };
}

function refuseConflicts(environment: Values, kept: Values, path: string): void {
  for (const name of secretNames) {
    if (environment[name] && kept[name] && environment[name] !== kept[name]) {
      throw new ExplainedError(
        `${name} in the environment differs from ${name} in ${path}. Unset the one, or correct the other.`,
      );
    }
  }
  for (const name of keyRingNames) {
    const ring = environment[name] || kept[name];
    const fault = ring ? keyRingFault(name, ring, environment[name] ? "the environment" : path) : undefined;
    if (fault !== undefined) throw new ExplainedError(fault);
  }
}

function rotated(ring: string | undefined, path: string): string {
  if (!ring) {
    throw new ExplainedError(
      `To rotate CLICK_KEYS, the keys in use must be known: without them every click id given out so far becomes invalid. They are neither in ${path} nor in the environment, and Cloudflare never shows them. Restore the file from your vault, or name it: --secrets-file <path>`,
    );
  }
  const next = withNewKey(ring);
  if (next === undefined) throw new ExplainedError("CLICK_KEYS already has 256 keys. Remove the oldest ones.");
  return next;
}

const heading = ({ worker, databaseUrl }: SecretsRequest) => `# Secrets of the Worker "${worker}".
# Cloudflare never shows them again: keep a copy in a vault.
DATABASE_URL="${databaseUrl}"
`;

function withSecrets(text: string, secrets: Partial<Record<SecretName, string>>, path: string): string {
  let result = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  for (const [name, value] of Object.entries(secrets)) {
    const line = secretLine(name, value);
    const isThere = parseEnv(result)[name] !== undefined;
    result = isThere
      ? result.replace(new RegExp(`^(export )?${name}=.*$`, "m"), `$1${line.trimEnd()}`)
      : `${result}${line}`;
  }
  if (!isDeepStrictEqual({ ...parseEnv(result) }, { ...parseEnv(text), ...secrets })) {
    throw new ExplainedError(`${path} can't be edited. Put each secret on one line: NAME="value"`);
  }
  return result;
}

const pick = (values: Values, wanted: readonly SecretName[]): Partial<Record<SecretName, string>> =>
  Object.fromEntries(wanted.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
