import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** The call that a token authorizes. The token is invalid for any other call. */
export interface OperatorCall {
  readonly method: string;
  /** The path including the query. */
  readonly path: string;
}

const digestOf = (body: string): string => createHash("sha256").update(body).digest("base64url");

const macOf = (secret: string, { method, path }: OperatorCall, expiresAt: string, bodyDigest: string): Buffer =>
  createHmac("sha256", secret).update(`operator until ${expiresAt}\n${method} ${path}\n${bodyDigest}`).digest();

/**
 * Creates a token, `op_<expiry in ms, base 36>.<SHA-256 of the body>.<MAC>`, with the last two in base64url. It proves
 * that the sender has the secret.
 */
export function mintOperatorToken(secret: string, call: OperatorCall, body: string, expiresAt: number): string {
  const [until, digest] = [expiresAt.toString(36), digestOf(body)];
  return `op_${until}.${digest}.${macOf(secret, call, until, digest).toString("base64url")}`;
}

const form = /^op_([0-9a-z]{1,11})\.([\w-]{43})\.([\w-]{43})$/;

/**
 * Verifies everything except the body, so that the body is only read for a valid token. `isBodyOfToken` then checks the
 * body.
 */
export function isOperatorToken(secret: string, call: OperatorCall, token: string, at: number): boolean {
  const [, until, digest, mac] = form.exec(token) ?? [];
  if (until === undefined || digest === undefined || mac === undefined || Number.parseInt(until, 36) <= at)
    return false;
  return timingSafeEqual(macOf(secret, call, until, digest), Buffer.from(mac, "base64url"));
}

export const isBodyOfToken = (token: string, body: string): boolean => form.exec(token)?.[2] === digestOf(body);
