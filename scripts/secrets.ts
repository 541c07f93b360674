import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { parseClickKeyRing } from "../src/domain/click-id.ts";

const randomSecret = () => randomBytes(32).toString("base64url");

/** The secrets of the Worker that are kept as long as its data, and how a new one is made. */
export const makeSecret = {
  CLICK_KEYS: () => `1:${randomSecret()}`,
  HASH_SECRET: randomSecret,
  AUTH_SECRET: randomSecret,
} as const satisfies Record<string, () => string>;

const keyIds = Array.from({ length: 256 }, (_, id) => id);

/** A ring that signs with a new key and verifies with all the old ones; undefined where none can be made of `ring`. */
export function rotateClickKeys(ring: string): string | undefined {
  const keys = parseClickKeyRing(ring)?.keys;
  if (keys === undefined) return undefined;
  const newest = Math.max(...keys.keys());
  const unused = keyIds.filter((id) => !keys.has(id));
  const id = unused.find((candidate) => candidate > newest) ?? unused[0];
  return id === undefined ? undefined : `${id}:${randomSecret()},${ring}`;
}

/** The ring of `rotateClickKeys`, signing with the key before: the new one only verifies. */
export function withNewestLast(ring: string): string {
  const [newest = "", ...others] = ring.split(",");
  return [...others, newest].join(",");
}

type Values = Readonly<Record<string, string | undefined>>;

export const missingSecrets = (values: Values): string[] => Object.keys(makeSecret).filter((name) => !values[name]);

/** The text of a file of `NAME="value"` lines with a new secret for each that is missing, and all values of it. */
export function withNewSecrets(text: string): { readonly text: string; readonly values: Values } {
  const kept: Values = parseEnv(text);
  const missing = Object.entries(makeSecret).filter(([name]) => !kept[name]);
  const added = missing.map(([name, make]) => [name, make()] as const);
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  const lines = added.map(([name, secret]) => `${name}="${secret}"\n`).join("");
  return { text: text + separator + lines, values: { ...kept, ...Object.fromEntries(added) } };
}

/** The secrets in a file. Those that it doesn't have yet are made and added; what is in it stays. */
export async function keepSecrets(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const { text: whole, values } = withNewSecrets(text);
  if (whole !== text) await writeFile(file, whole, { mode: 0o600 });
  return values as Readonly<Record<string, string>>;
}
