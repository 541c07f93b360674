import type { DataKeyRing } from "./data-keys.ts";

/** The purpose and the row of a ciphertext. A ciphertext of another purpose or row can't be decrypted with it. */
export interface DataContext {
  /** Each purpose has its own keys, derived from those of the ring. */
  readonly purpose:
    | "totp-secret"
    | "list-position"
    | "payment-details"
    | "mail"
    | "webhook-secret"
    | "privacy-request"
    | "embed-token"
    | "proposal";
  readonly rowId: string;
}

export const ivBytes = 12;

/** Derives a key with HKDF (RFC 5869). It needs no salt, because the keys of the ring are random. */
async function keyFor({ purpose }: DataContext, secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const info = new TextEncoder().encode(`tributary ${purpose}`);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

const parametersOf = ({ purpose, rowId }: DataContext, iv: Uint8Array<ArrayBuffer>) => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(JSON.stringify([purpose, rowId])),
});

const text = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(new Uint8Array(bytes)).toString("base64url");

/**
 * Encrypts to `<key id>.<iv>.<ciphertext and tag>`, the last two in base64url. `iv` is 12 random bytes that are never
 * used twice.
 */
export async function encryptData(
  { newestId, newest }: DataKeyRing,
  context: DataContext,
  plain: string,
  iv: Uint8Array<ArrayBuffer>,
): Promise<string> {
  if (iv.length !== ivBytes) throw new RangeError(`iv is not ${ivBytes} bytes long`);
  const key = await keyFor(context, new Uint8Array(newest));
  const encrypted = await crypto.subtle.encrypt(parametersOf(context, iv), key, new TextEncoder().encode(plain));
  return `${newestId}.${text(iv)}.${text(encrypted)}`;
}

/** Undefined if no key of the ring decrypts the text, or if it was altered or belongs to another purpose or row. */
export async function decryptData(
  { keys }: DataKeyRing,
  context: DataContext,
  encrypted: string,
): Promise<string | undefined> {
  const [, id, iv, rest] = /^(\d{1,3})\.([\w-]+)\.([\w-]+)$/.exec(encrypted) ?? [];
  const secret = keys.get(Number(id));
  if (secret === undefined || iv === undefined || rest === undefined) return undefined;
  const key = await keyFor(context, new Uint8Array(secret));
  const parameters = parametersOf(context, new Uint8Array(Buffer.from(iv, "base64url")));
  try {
    const bytes = new Uint8Array(Buffer.from(rest, "base64url"));
    return new TextDecoder().decode(await crypto.subtle.decrypt(parameters, key, bytes));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

export const keyIdOf = (encrypted: string): number => Number(encrypted.slice(0, encrypted.indexOf(".")));
