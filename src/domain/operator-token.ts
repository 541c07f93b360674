import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** The call that a token authorizes: it is invalid for any other. */
export interface OperatorCall {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
}

const digestOf = (body: string): string => createHash("sha256").update(body).digest("base64url");

const macOf = (secret: string, { method, path }: OperatorCall, expiresAt: string, bodyDigest: string): Buffer =>
  createHmac("sha256", secret).update(`operator until ${expiresAt}\n${method} ${path}\n${bodyDigest}`).digest();

/** Proves that the bearer holds the secret. `op_<expiry in ms, base 36>.<SHA-256 of the body>.<MAC>`, both in base64url. */
export function mintOperatorToken(secret: string, call: OperatorCall, body: string, expiresAt: number): string {
  const [until, digest] = [expiresAt.toString(36), digestOf(body)];
  return `op_${until}.${digest}.${macOf(secret, call, until, digest).toString("base64url")}`;
}

const form = /^op_([0-9a-z]{1,11})\.([\w-]{43})\.([\w-]{43})$/;

/** Checked before reading the body, which `isBodyOfToken` compares. */
export function isOperatorToken(secret: string, call: OperatorCall, token: string, at: number): boolean {
  const [, until, digest, mac] = form.exec(token) ?? [];
  if (until === undefined || digest === undefined || mac === undefined || Number.parseInt(until, 36) <= at)
    return false;
  return timingSafeEqual(macOf(secret, call, until, digest), Buffer.from(mac, "base64url"));
}

export const isBodyOfToken = (token: string, body: string): boolean => form.exec(token)?.[2] === digestOf(body);
