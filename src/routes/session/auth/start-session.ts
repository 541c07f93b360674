import { ok, type Result, refused } from "../../../domain/result.ts";
import type { Ctx } from "../../../http/context.ts";
import { randomSecret } from "../../../http/secret.ts";
import { setSessionCookie } from "../../../http/session-cookie.ts";
import { createSession, sessionIdleMs } from "../../../store/accounts/sessions.ts";
import { readFromDatabase } from "../../read-database.ts";
import { rememberDevice } from "./known-device.ts";
import { sessionDevice } from "./session-device.ts";

/** Returns the token. Refuses if the password no longer has this hash, which the caller has just verified. */
export async function startSession(
  c: Ctx,
  { userId, email, hash }: { readonly userId: string; readonly email: string; readonly hash: string },
): Promise<Result<string>> {
  const token = randomSecret();
  const session = { id: crypto.randomUUID(), token, userId, ...(await sessionDevice(c)) };
  const created = await readFromDatabase(c, (database) => createSession(database, session, hash, c.get("call").at));
  if (!created.ok) return created;
  if (!created.value) return refused({ code: "sign_in_failed" });
  await setSessionCookie(c, token, sessionIdleMs / 1000);
  await rememberDevice(c, { email, hash });
  return ok(token);
}
