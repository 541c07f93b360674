import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { body, commonRefusals, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { openHashing } from "#http/hashing.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findReset, resetPassword as reset } from "#store/accounts/passwords.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { accountMail } from "./account-mail.ts";
import { done, success } from "./done.ts";
import { rememberDevice } from "./known-device.ts";
import { countReset } from "./limits.ts";
import { refusalOfPassword } from "./new-password.ts";

const PasswordReset = z
  .object({
    token: fields
      .nonBlank("token")
      .describe("Token from a mailed link, or from one that `npm run tributary -- reset-password` prints."),
    newPassword: fields.newPassword("newPassword"),
  })
  .openapi("PasswordReset");

export const resetPassword = endpoint({
  route: createRoute({
    method: "post",
    path: "/reset-password",
    operationId: "resetPassword",
    tags: ["Sign-in"],
    summary: "Reset your password",
    description: "A reset link works once, within an hour. Ends all sessions of the account.",
    ...withJsonBody(fromOwnOrigin(countReset)),
    request: { body: body(PasswordReset) },
    responses: {
      ...done("Password changed. Sign in with the new one."),
      ...refusals([...writeRefusals, ...inputRefusals, "reset_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { token, newPassword } = c.req.valid("json");
    const { at } = c.get("call");
    const tokenHash = hashLinkToken(token);
    const found = await readFromDatabase(c, "home", (database) => findReset(database, tokenHash, at));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    if (credential === undefined) return refuse(c, { code: "reset_invalid" });
    const weak = await refusalOfPassword("newPassword", newPassword, credential);
    if (weak !== undefined) return refuse(c, weak);

    const hashing = openHashing(c, "known");
    if (!hashing.ok) return refuse(c, hashing.refusal);
    const newHash = await hashing.value.hash(newPassword);
    if (!newHash.ok) return refuse(c, newHash.refusal);
    const mail = await accountMail(c, credential, "password_reset");
    const event = { ...(await accountEvent(c, credential.userId, "password_reset")), mail };
    const changed = await readFromDatabase(c, "home", (database) => reset(database, tokenHash, newHash.value, event));
    if (!changed.ok) return refuse(c, changed.refusal);
    if (!changed.value) return refuse(c, { code: "reset_invalid" });
    if (mail !== undefined) sendMails(c, "home");
    // Lets an owner whom someone else's guesses locked out sign in from this browser.
    await rememberDevice(c, { email: credential.email, hash: newHash.value });
    return c.json(success, 200);
  },
});
