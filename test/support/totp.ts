import { totpCode, totpStepAt } from "#domain/totp.ts";
import type { User } from "../../harness/session.ts";
import { withinWindow } from "./within-window.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export interface Authenticator {
  readonly secret: string;
  readonly uri: string;
  readonly recoveryCodes: readonly string[];
  readonly wrongCode: string;
  /** Returns the current code, or the code of an earlier or later step. The service accepts each code once. */
  code(offset?: number): string;
}

const stepMs = 30_000;

/**
 * Returns the codes of all steps in which a test may use one. Two steps or two secrets can have the same six-digit
 * code.
 */
const codesOf = (secret: Buffer): readonly string[] =>
  Array.from({ length: 20 }, (_, i) => totpCode(secret, totpStepAt(Date.now()) - 2 + i));

export const wrongCodeOf = (secret: Buffer): string => (codesOf(secret).includes("000000") ? "111111" : "000000");

type Owner = Pick<User, "post"> & { readonly password?: string };

/**
 * Sets up two-factor authentication. Repeats the setup until all codes differ from one another and from the other
 * authenticators' codes.
 */
export async function setUpTotp(user: Owner, ...others: readonly Authenticator[]): Promise<Authenticator> {
  for (;;) {
    const { status, text, body } = await user.post<{ data: Omit<Authenticator, "code" | "wrongCode"> }>(
      "/api/auth/totp",
      user.password === undefined ? {} : { password: user.password },
    );
    if (status !== 200) throw new Error(`two-factor authentication can't be set up: ${text}`);
    const secret = fromBase32(body.data.secret);
    const codes = [secret, ...others.map((other) => fromBase32(other.secret))].flatMap(codesOf);
    if (new Set(codes).size < codes.length) continue;
    return {
      ...body.data,
      wrongCode: wrongCodeOf(secret),
      code: (offset = 0) => totpCode(secret, totpStepAt(Date.now()) + offset),
    };
  }
}

/**
 * Confirms with the previous step's code, which expires when the next step begins. So the current code stays unused.
 */
export async function turnOnTotp(user: Owner): Promise<Authenticator> {
  const authenticator = await setUpTotp(user);
  await withinWindow(stepMs, 3_000);
  const { status, text } = await user.post("/api/auth/totp/confirm", { code: authenticator.code(-1) });
  if (status !== 200) throw new Error(`two-factor authentication can't be turned on: ${text}`);
  return authenticator;
}
