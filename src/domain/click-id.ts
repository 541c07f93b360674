import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { LinkId, ProgramId } from "./ids.ts";
import { parseKeyRing } from "./key-ring.ts";

export interface ClickToken {
  readonly programId: ProgramId;
  readonly isTest: boolean;
  /** The referral link. 0 for a test click without a link. */
  readonly linkId: LinkId;
  readonly at: number;
}

export interface ClickKeyRing {
  readonly signingKeyId: number;
  readonly signingKey: KeyObject;
  readonly keys: ReadonlyMap<number, KeyObject>;
}

/*
 * Layout: version 1 byte | key id 1 byte | instant 6 bytes | 2 × program + test as varint | link as varint | random 8
 * bytes | MAC 16 bytes, all in base64url. The instant is near the start, so that consecutive ids share a prefix and an
 * index on them grows at one end.
 */
const version = 1;
/** The version of ids that replace erased ones. In base64url, the first two characters show the version. */
export const erasedVersion = 2;
const instantAt = 2;
const varintsAt = 8;
const randomBytes = 8;
const macBytes = 16;
const maxVarintBytes = 8;
const minBytes = varintsAt + 2 + randomBytes + macBytes;
const maxBytes = varintsAt + 2 * maxVarintBytes + randomBytes + macBytes;
const maxChars = Math.ceil((maxBytes * 4) / 3);

/** Parses a key ring. The first key signs, and all keys verify. Undefined if the text is invalid. */
export function parseClickKeyRing(text: string): ClickKeyRing | undefined {
  const ring = parseKeyRing(text);
  if (ring === undefined) return undefined;
  const keys = new Map([...ring.keys].map(([id, secret]) => [id, createSecretKey(secret)] as const));
  return { signingKeyId: ring.newestId, signingKey: createSecretKey(ring.newest), keys };
}

/**
 * Creates the id of a click. It is deterministic: the 16 hex digits of `operationId` are the id's 64 random bits.
 * Throws a RangeError if the token or the operation id is out of range.
 */
export function mintClickId(
  ring: ClickKeyRing,
  token: ClickToken,
  operationId: string,
  ofVersion: typeof version | typeof erasedVersion = version,
): string {
  if (!isMintable(token)) throw new RangeError("click token out of range");
  const bytes = Buffer.allocUnsafe(maxBytes);
  bytes[0] = ofVersion;
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

/**
 * Reads and verifies a click id. Undefined if it is forged, altered, not in canonical spelling, or signed by an unknown
 * key.
 */
export function readClickId(ring: ClickKeyRing, text: string): ClickToken | undefined {
  const bytes = bytesOf(text);
  const key = bytes && ring.keys.get(bytes.readUInt8(1));
  if (bytes === undefined || key === undefined) return undefined;
  const signedEnd = bytes.length - macBytes;
  const mac = macOf(key, bytes.subarray(0, signedEnd)).subarray(0, macBytes);
  return timingSafeEqual(mac, bytes.subarray(signedEnd)) ? tokenOf(bytes) : undefined;
}

/** Reads a click id without verifying it. Use it only for ids that were verified before they were stored. */
export function readStoredClickId(text: string): ClickToken | undefined {
  const bytes = bytesOf(text);
  return bytes && tokenOf(bytes);
}

/**
 * Rejects ids that aren't encoded canonically. The base64url decoder accepts several encodings of the same bytes, which
 * would count as several clicks.
 */
function bytesOf(text: string): Buffer | undefined {
  if (text.length > maxChars) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const isKnown = bytes[0] === version || bytes[0] === erasedVersion;
  const isOurs = isKnown && bytes.length >= minBytes && bytes.toString("base64url") === text;
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

// Writes little-endian groups of 7 bits. It uses arithmetic, because bit operators are limited to 32 bits.
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
