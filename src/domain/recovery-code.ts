import { createHash } from "node:crypto";
import { base32 } from "./base32.ts";

export const recoveryCodeCount = 10;
/** 80 bits, so that a code can't be found from its digest. */
export const recoveryCodeBytes = 10;

/** `bytes` are ten random bytes. */
export const recoveryCode = (bytes: Uint8Array): string => (base32(bytes).toLowerCase().match(/.{4}/g) ?? []).join("-");

/** SHA-256 in lower-case hex. Case and grouping of the entered code don't matter. */
export const hashRecoveryCode = (code: string): string =>
  createHash("sha256").update(code.toLowerCase().replace(/[\s-]/g, "")).digest("hex");

export const isRecoveryCode = (text: string): boolean => /^[a-z2-7]{16}$/i.test(text.replace(/[\s-]/g, ""));
