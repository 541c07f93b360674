import type { Refusal } from "../../../domain/refusal.ts";
import type { Ctx } from "../../../http/context.ts";
import { randomSecret } from "../../../http/secret.ts";
import { setSessionCookie } from "../../../http/session-cookie.ts";
import { createSession, sessionIdleMs } from "../../../store/accounts/sessions.ts";
import { readFromDatabase } from "../../read-database.ts";
import { rememberDevice } from "./known-device.ts";
import { signInPlace } from "./sign-in-place.ts";

type Started = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly refusal: Refusal };

/** Signs a user in whose password has just been found to have this hash, and sets the cookies of it. */
export async function startSession(
  c: Ctx,
  { userId, email, hash }: { readonly userId: string; readonly email: string; readonly hash: string },
): Promise<Started> {
  const token = randomSecret();
  const session = { id: crypto.randomUUID(), token, userId, ...(await signInPlace(c)) };
  const made = await readFromDatabase(c, (database) => createSession(database, session, hash, c.get("call").at));
  if (!made.ok) return made;
  if (!made.value) return { ok: false, refusal: { code: "sign_in_failed" } };
  await setSessionCookie(c, token, sessionIdleMs / 1000);
  await rememberDevice(c, { email, hash });
  return { ok: true, token };
}
