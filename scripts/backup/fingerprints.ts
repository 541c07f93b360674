import { randomBytes, scryptSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { ExplainedError } from "../command.ts";
import { isKeyRing, type SecretName, type Secrets, secretNames } from "../service/secrets.ts";

export interface Fingerprints {
  readonly salt: string;
  /** The fingerprints of each secret. A key ring has one per key. Empty for a secret that wasn't known. */
  readonly of: Readonly<Record<SecretName, readonly string[]>>;
}

export async function readSecrets(file: string): Promise<Secrets> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new ExplainedError(`${file} can't be read: ${error.message}`);
  });
  const values = parseEnv(text);
  return Object.fromEntries(secretNames.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

export function fingerprintsOf(secrets: Secrets, salt = randomBytes(16).toString("hex")): Fingerprints {
  const of = (name: SecretName) => partsOf(name, secrets[name]).map((part) => fingerprint(part, salt));
  const rings = { CLICK_KEYS: of("CLICK_KEYS"), DATA_KEYS: of("DATA_KEYS") };
  return { salt, of: { ...rings, HASH_SECRET: of("HASH_SECRET"), AUTH_SECRET: of("AUTH_SECRET") } };
}

export function mismatches({ salt, of }: Fingerprints, secrets: Secrets): SecretName[] {
  const found = fingerprintsOf(secrets, salt).of;
  return secretNames.filter(
    (name) => secrets[name] === undefined || !of[name].every((part) => found[name].includes(part)),
  );
}

function partsOf(name: SecretName, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return isKeyRing(name) ? value.split(",") : [value];
}

/**
 * Computes the fingerprint of a secret. This is slow on purpose, because a weak secret could otherwise be guessed from
 * its fingerprint.
 */
const fingerprint = (secret: string, salt: string): string => scryptSync(secret, salt, 16).toString("hex");
