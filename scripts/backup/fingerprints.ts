import { randomBytes, scryptSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { makeSecret } from "../secrets.ts";

export const secretNames = Object.keys(makeSecret) as readonly (keyof typeof makeSecret)[];
export type SecretName = (typeof secretNames)[number];
export type Secrets = Readonly<Partial<Record<SecretName, string>>>;

/** Tells later whether a secret is the same, and nothing else of it. */
export interface Fingerprints {
  readonly salt: string;
  /** Of each secret that was there; of CLICK_KEYS, of each key. */
  readonly of: Readonly<Partial<Record<SecretName, readonly string[]>>>;
}

/** Those in a file; none where there is no file. */
export async function readSecrets(file: string): Promise<Secrets> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const values = parseEnv(text);
  return Object.fromEntries(secretNames.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

export function fingerprintsOf(secrets: Secrets, salt = randomBytes(16).toString("hex")): Fingerprints {
  const of = secretNames.flatMap((name) => {
    const value = secrets[name];
    return value === undefined ? [] : [[name, partsOf(name, value).map((part) => fingerprint(part, salt))] as const];
  });
  return { salt, of: Object.fromEntries(of) };
}

/** The secrets that are missing, or are others than those of the fingerprints. Keys may have been added to CLICK_KEYS. */
export function misfits({ salt, of }: Fingerprints, secrets: Secrets): SecretName[] {
  const found = fingerprintsOf(secrets, salt).of;
  return secretNames.filter((name) => {
    const expected = of[name];
    return found[name] === undefined || !(expected ?? []).every((part) => found[name]?.includes(part));
  });
}

const partsOf = (name: SecretName, value: string): readonly string[] =>
  name === "CLICK_KEYS" ? value.split(",") : [value];

/** Slow on purpose: a secret that somebody chose by hand could otherwise be guessed from it. */
const fingerprint = (secret: string, salt: string): string => scryptSync(secret, salt, 16).toString("hex");
