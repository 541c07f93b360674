import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";

/** The secrets of the Worker, and how a new one is made; empty where it comes from elsewhere. */
export const makeSecret = {
  /** A local database asks for none. */
  DATABASE_AUTH_TOKEN: () => "",
  CLICK_KEYS: () => `1:${randomBytes(32).toString("base64url")}`,
  HASH_SECRET: () => randomBytes(32).toString("base64url"),
  AUTH_SECRET: () => randomBytes(32).toString("base64url"),
} as const satisfies Record<string, () => string>;

/** Makes the secrets for one's own machine that the file doesn't have yet. What is in it stays. */
export async function keepDevSecrets(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => "");
  const kept = parseEnv(text);
  const added = Object.entries(makeSecret).filter(([name]) => kept[name] === undefined);
  if (added.length === 0) return;
  const lines = added.map(([name, make]) => `${name}="${make()}"\n`).join("");
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  await writeFile(file, text + separator + lines, { mode: 0o600 });
}
