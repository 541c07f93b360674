import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** What a click id proves. */
export interface ClickToken {
  readonly programId: number;
  readonly isTest: boolean;
  /** The referral link; 0 for a test click without one. */
  readonly linkId: number;
  /** The instant of the click, in milliseconds. */
  readonly at: number;
}

/** The secrets that sign and verify click ids, from `parseClickKeyRing`; nothing in it is for callers. */
export interface ClickKeyRing {
  readonly signingKeyId: number;
  readonly signingKey: KeyObject;
  readonly keys: ReadonlyMap<number, KeyObject>;
}

/*
 * version 1 byte | key id 1 | instant 6 | 2 · program + test, varint | link, varint | random 8 | MAC 16; base64url.
 * The instant stands before the rest so that ids made one after another share a prefix, and an index on them
 * grows at one end.
 */
const version = 1;
const instantAt = 2;
const varintsAt = 8;
const randomBytes = 8;
const macBytes = 16;
const maxVarintBytes = 8;
const minBytes = varintsAt + 2 + randomBytes + macBytes;
const maxBytes = varintsAt + 2 * maxVarintBytes + randomBytes + macBytes;
const maxChars = Math.ceil((maxBytes * 4) / 3);

const secretBytes = 32;

/**
 * Reads a secret of the form `<id>:<base64url of at least 32 bytes>[,<id>:<secret>…]`, newest first: the first signs,
 * all verify. Ids are unique, 0 to 255. Anything else is undefined.
 */
export function parseClickKeyRing(text: string): ClickKeyRing | undefined {
  const keys = new Map<number, KeyObject>();
  for (const entry of text.split(",")) {
    const [, idText, secretText] = /^(0|[1-9]\d{0,2}):([\w-]+)$/.exec(entry) ?? [];
    if (idText === undefined || secretText === undefined) return undefined;
    const id = Number(idText);
    const secret = Buffer.from(secretText, "base64url");
    if (id > 255 || keys.has(id)) return undefined;
    if (secret.length < secretBytes || secret.toString("base64url") !== secretText) return undefined;
    keys.set(id, createSecretKey(secret));
  }
  for (const [signingKeyId, signingKey] of keys) return { signingKeyId, signingKey, keys };
  return undefined;
}

/**
 * The click id of a token. `operationId` is 16 hex digits, the id's 64 random bits: the same arguments give the same
 * id. Throws a RangeError on a token or an operation id that no caller can have.
 */
export function mintClickId(ring: ClickKeyRing, token: ClickToken, operationId: string): string {
  if (!isMintable(token)) throw new RangeError("click token out of range");
  const bytes = Buffer.allocUnsafe(maxBytes);
  bytes[0] = version;
  bytes[1] = ring.signingKeyId;
  bytes.writeUIntBE(token.at, instantAt, varintsAt - instantAt);
  let end = writeVarint(bytes, varintsAt, token.programId * 2 + (token.isTest ? 1 : 0));
  end = writeVarint(bytes, end, token.linkId);
  if (operationId.length !== 2 * randomBytes || bytes.write(operationId, end, randomBytes, "hex") !== randomBytes) {
    throw new RangeError("operation id is not 16 hexadecimal digits");
  }
  end += randomBytes;
  macOf(ring.signingKey, bytes.subarray(0, end)).copy(bytes, end, 0, macBytes);
  return bytes.toString("base64url", 0, end + macBytes);
}

/** The token that a click id proves, or undefined: forged, altered, spelt otherwise, or signed by a key not held. */
export function readClickId(ring: ClickKeyRing, text: string): ClickToken | undefined {
  const bytes = bytesOf(text);
  const key = bytes && ring.keys.get(bytes.readUInt8(1));
  if (bytes === undefined || key === undefined) return undefined;
  const signedEnd = bytes.length - macBytes;
  const mac = macOf(key, bytes.subarray(0, signedEnd)).subarray(0, macBytes);
  return timingSafeEqual(mac, bytes.subarray(signedEnd)) ? tokenOf(bytes) : undefined;
}

/** The token that a click id names. It proves nothing: for ids that were verified when they were stored. */
export function readStoredClickId(text: string): ClickToken | undefined {
  const bytes = bytesOf(text);
  return bytes && tokenOf(bytes);
}

/** The decoder is lenient; one id must have one spelling, or it would count as several. */
function bytesOf(text: string): Buffer | undefined {
  if (text.length > maxChars) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const isOurs = bytes.length >= minBytes && bytes[0] === version && bytes.toString("base64url") === text;
  return isOurs ? bytes : undefined;
}

function tokenOf(bytes: Buffer): ClickToken | undefined {
  const book = readVarint(bytes, varintsAt);
  const link = readVarint(bytes, book.end);
  if (link.end + randomBytes !== bytes.length - macBytes) return undefined;
  return {
    programId: Math.floor(book.value / 2),
    isTest: book.value % 2 === 1,
    linkId: link.value,
    at: bytes.readUIntBE(instantAt, varintsAt - instantAt),
  };
}

const macOf = (key: KeyObject, signed: Uint8Array): Buffer => createHmac("sha256", key).update(signed).digest();

const isMintable = ({ programId, linkId, at }: ClickToken): boolean =>
  Number.isSafeInteger(2 * programId + 1) &&
  programId >= 1 &&
  Number.isSafeInteger(linkId) &&
  linkId >= 0 &&
  Number.isSafeInteger(at) &&
  at >= 0;

// Little-endian groups of 7 bits, by arithmetic: the bit operators end at 32 bits.
function writeVarint(bytes: Buffer, offset: number, value: number): number {
  let rest = value;
  let end = offset;
  while (rest >= 128) {
    bytes[end++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  bytes[end++] = rest;
  return end;
}

function readVarint(bytes: Buffer, offset: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let scale = 1;
  let end = offset;
  for (;;) {
    const byte = bytes[end++] ?? 0;
    value += (byte % 128) * scale;
    if (byte < 128) return { value, end };
    scale *= 128;
  }
}
