import { totpCode, totpStepAt } from "#domain/totp.ts";
import type { User } from "../../harness/session.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export interface Authenticator {
  readonly secret: string;
  readonly uri: string;
  readonly recoveryCodes: readonly string[];
  /** The current code, or that of an earlier or later step: each counts once. */
  code(offset?: number): string;
}

export async function setUpTotp(user: User): Promise<Authenticator> {
  const { status, text, body } = await user.post<{ data: Omit<Authenticator, "code"> }>("/api/auth/totp", {
    password: user.password,
  });
  if (status !== 200) throw new Error(`two-factor authentication can't be set up: ${text}`);
  const secret = fromBase32(body.data.secret);
  return { ...body.data, code: (offset = 0) => totpCode(secret, totpStepAt(Date.now()) + offset) };
}

/** Uses the previous step's code. */
export async function turnOnTotp(user: User): Promise<Authenticator> {
  const authenticator = await setUpTotp(user);
  const { status, text } = await user.post("/api/auth/totp/confirm", { code: authenticator.code(-1) });
  if (status !== 200) throw new Error(`two-factor authentication can't be turned on: ${text}`);
  return authenticator;
}
