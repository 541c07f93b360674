import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { randomSecret } from "#http/secret.ts";
import { setSessionCookie, storedToken } from "#http/session-cookie.ts";
import { createSession, sessionIdleMs } from "#store/accounts/sessions.ts";
import { accountEvent } from "./account-event.ts";
import { accountMail } from "./account-mail.ts";
import { knownDevice, rememberDevice } from "./known-device.ts";

/** Returns the token. Refuses if the password no longer has this hash, which the caller has just verified. */
export async function startSession(
  c: Ctx,
  { userId, email, hash }: { readonly userId: string; readonly email: string; readonly hash: string },
  action: "signed_up" | "signed_in" | "signed_in_with_recovery_code" = "signed_in",
): Promise<Result<string>> {
  const token = randomSecret();
  const isNewBrowser = action !== "signed_up" && (await knownDevice(c, { email, hash })) === undefined;
  const mail = isNewBrowser ? await accountMail(c, { userId, email }, "new_browser") : undefined;
  const event = { ...(await accountEvent(c, userId, action === "signed_up" ? "signed_in" : action)), mail };
  const of = { userId, device: event.device, place: event.place };
  const session = { id: crypto.randomUUID(), token: storedToken(token), ...of };
  const created = await readFromDatabase(c, "home", (database) => createSession(database, session, hash, event));
  if (!created.ok) return created;
  if (!created.value) return refused({ code: "sign_in_failed" });
  if (mail !== undefined) sendMails(c, "home");
  await setSessionCookie(c, token, sessionIdleMs / 1000);
  await rememberDevice(c, { email, hash });
  return ok(token);
}
