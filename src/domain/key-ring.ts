export interface KeyRing {
  readonly newestId: number;
  readonly newest: Buffer;
  readonly keys: ReadonlyMap<number, Buffer>;
}

const keyBytes = 32;

/**
 * Parses `<id>:<base64url of at least 32 bytes>[,<id>:<secret>…]`, newest first. Ids are unique numbers from 0 to 255.
 * Undefined if the text is invalid.
 */
export function parseKeyRing(text: string): KeyRing | undefined {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(",")) {
    const [, idText, secretText] = /^(0|[1-9]\d{0,2}):([\w-]+)$/.exec(entry) ?? [];
    if (idText === undefined || secretText === undefined) return undefined;
    const id = Number(idText);
    const secret = Buffer.from(secretText, "base64url");
    if (id > 255 || keys.has(id)) return undefined;
    if (secret.length < keyBytes || secret.toString("base64url") !== secretText) return undefined;
    keys.set(id, secret);
  }
  for (const [newestId, newest] of keys) return { newestId, newest, keys };
  return undefined;
}
