import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { parseDataKeys } from "#domain/data-keys.ts";
import { parseKeyRing } from "#domain/key-ring.ts";
import { ExplainedError } from "../command.ts";

const randomSecret = () => randomBytes(32).toString("base64url");

const makeSecret = {
  CLICK_KEYS: () => `1:${randomSecret()}`,
  HASH_SECRET: randomSecret,
  AUTH_SECRET: randomSecret,
  DATA_KEYS: () => `1:${randomSecret()}`,
} as const satisfies Record<string, () => string>;

export type SecretName = keyof typeof makeSecret;
export type Secrets = Readonly<Partial<Record<SecretName, string>>>;

export const secretNames = Object.keys(makeSecret) as readonly SecretName[];

export const newSecret = (name: SecretName): string => makeSecret[name]();

export const secretLine = (name: string, value: string): string => `${name}="${value}"\n`;

const keyRings = {
  CLICK_KEYS: { parse: parseKeyRing, bytes: "at least 32 bytes" },
  DATA_KEYS: { parse: parseDataKeys, bytes: "32 bytes" },
} as const;

export type KeyRingName = keyof typeof keyRings;

export const keyRingNames = Object.keys(keyRings) as readonly KeyRingName[];
export const isKeyRing = (name: SecretName): name is KeyRingName => name in keyRings;

/**
 * Returns the reason why a key ring is malformed. Undefined if it is valid. `place` names the ring's file,
 * or the environment.
 */
export const keyRingFault = (name: KeyRingName, ring: string, place: string): string | undefined =>
  keyRings[name].parse(ring) === undefined
    ? `${name} in ${place} must be <id>:<base64url of ${keyRings[name].bytes}>[,…], with unique ids from 0 to 255.`
    : undefined;

export const listed = (names: readonly string[]): string => new Intl.ListFormat("en").format(names);

const keyIds = Array.from({ length: 256 }, (_, id) => id);

/** Returns the ring with a new key before all old ones. Undefined if `ring` is malformed or full. */
export function withNewKey(ring: string): string | undefined {
  const keys = parseKeyRing(ring)?.keys;
  if (keys === undefined) return undefined;
  const newest = Math.max(...keys.keys());
  const unused = keyIds.filter((id) => !keys.has(id));
  const id = unused.find((candidate) => candidate > newest) ?? unused[0];
  return id === undefined ? undefined : `${id}:${randomSecret()},${ring}`;
}

/** Like `withNewKey`, but the ring still signs with the previous key and uses the new key only to verify. */
export function withNewestLast(ring: string): string {
  const [newest = "", ...others] = ring.split(",");
  return [...others, newest].join(",");
}

type Values = Readonly<Record<string, string | undefined>>;

export const missingSecrets = (values: Values): SecretName[] => secretNames.filter((name) => !values[name]);

interface SecretsText {
  readonly text: string;
  readonly values: Values;
}

/**
 * Adds a new secret for each name that a file of `NAME="value"` lines lacks and that isn't `given`. Returns the text
 * and all its values.
 */
export const withNewSecrets = (text: string, given: Secrets = {}): SecretsText =>
  withMissing(
    text,
    Object.fromEntries(secretNames.filter((name) => !given[name]).map((name) => [name, makeSecret[name]])),
  );

function withMissing(text: string, makers: Readonly<Record<string, () => string>>): SecretsText {
  const kept: Values = parseEnv(text);
  const added = Object.entries(makers).flatMap(([name, make]) => (kept[name] ? [] : [[name, make()] as const]));
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  const lines = added.map(([name, secret]) => secretLine(name, secret)).join("");
  return { text: text + separator + lines, values: { ...kept, ...Object.fromEntries(added) } };
}

/**
 * The secrets for `npm start`, which receives its own emails. Creates missing secrets if there is no data yet. If there
 * is data, it was created with the missing secrets, so this throws an `ExplainedError`.
 */
export async function ensureSecrets(file: string, hasData: boolean): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const missing = missingSecrets(parseEnv(text));
  if (missing.length > 0 && hasData) {
    throw new ExplainedError(
      `${file} lacks ${listed(missing)}, which the data was created with. Copy the secrets there: those of .data are in .dev.vars next to it, and those of npm run serve in secrets.env in the data folder.`,
    );
  }
  const { text: whole, values } = withMissing(text, { ...makeSecret, MAIL_HOOK_SECRET: randomSecret });
  if (whole !== text) await writeFile(file, whole, { mode: 0o600 });
  return values as Readonly<Record<string, string>>;
}
