import { timingSafeEqual } from "node:crypto";
import {
  type Derivation,
  derivationOf,
  newDerivation,
  parseHash,
  saltBytes,
  scryptCost,
  serializeHash,
} from "#domain/password-hash.ts";

type DeriveKey = (derivation: Derivation) => Promise<string>;

const randomSalt = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(saltBytes))).toString("base64");

export async function hashPassword(password: string, derive: DeriveKey): Promise<string> {
  const salt = randomSalt();
  return serializeHash({ ...scryptCost, salt, key: await derive(newDerivation(password, salt)) });
}

/** Takes the same time without a hash, so that the response time doesn't reveal whether an account exists. */
export async function verifyPassword(hash: string | undefined, password: string, derive: DeriveKey): Promise<boolean> {
  const parsed = hash === undefined ? undefined : parseHash(hash);
  const derived = await derive(
    parsed === undefined ? newDerivation(password, randomSalt()) : derivationOf(parsed, password),
  );
  return parsed !== undefined && timingSafeEqual(Buffer.from(parsed.key), Buffer.from(derived));
}
