import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";
import { readSignedCookie, setSignedCookie } from "#http/session-cookie.ts";

// Between the two steps of a sign-in, a signed cookie proves that the password was right. It opens nothing by itself.
// Any code of the account that is used ends it, so that nobody who copied it signs in with a code alone.

const cookie = "second_step";
const validSeconds = 5 * 60;

interface Account {
  readonly userId: string;
  readonly hash: string;
  readonly lastCodeUse: string | null;
}

const proofOf = (c: Ctx, { userId, hash, lastCodeUse }: Account, until: string): string =>
  digest(hashSecretOf(c.env), "second-step", userId, hash, lastCodeUse ?? "", until);

export async function beginSecondStep(c: Ctx, account: Account): Promise<void> {
  const until = String(c.get("call").at + validSeconds * 1000);
  await setSignedCookie(c, cookie, `${account.userId}.${until}.${proofOf(c, account, until)}`, validSeconds);
}

export const endSecondStep = (c: Ctx): Promise<void> => setSignedCookie(c, cookie, "", 0);

export async function userOfSecondStep(
  c: Ctx,
): Promise<{ readonly userId: string; isOf(account: Omit<Account, "userId">): boolean } | undefined> {
  const [userId, until = "", proof] = (await readSignedCookie(c, cookie))?.split(".") ?? [];
  if (userId === undefined || Number(until) < c.get("call").at) return undefined;
  // A new password ends the step.
  return { userId, isOf: (account) => proof === proofOf(c, { ...account, userId }, until) };
}
