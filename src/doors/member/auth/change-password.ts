import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { body, createRoute, endpoint, invalidField, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { changePassword as change, findCredential } from "#store/accounts/passwords.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { accountMail } from "./account-mail.ts";
import { verifyCounted } from "./confirm-identity.ts";
import { done, success } from "./done.ts";
import { rememberDevice } from "./known-device.ts";
import { countConfirmation, releaseConfirmation } from "./limits.ts";
import { refusalOfPassword } from "./new-password.ts";

const PasswordChange = z
  .object({ currentPassword: fields.text("currentPassword", 128), newPassword: fields.newPassword("newPassword") })
  .openapi("PasswordChange");

const wrongPassword = invalidField("currentPassword", "currentPassword is incorrect");

export const changePassword = endpoint({
  route: createRoute({
    method: "post",
    path: "/change-password",
    operationId: "changePassword",
    tags: ["Sign-in"],
    summary: "Change your password",
    description: "Ends all your other sessions.",
    ...withJsonBody(signedIn()),
    request: { body: body(PasswordChange) },
    responses: {
      ...done("Password changed"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const { currentPassword, newPassword } = c.req.valid("json");
    const found = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    if (credential === undefined) return refuse(c, wrongPassword);
    const weak = await refusalOfPassword("newPassword", newPassword, credential);
    if (weak !== undefined) return refuse(c, weak);
    const overLimit = await countConfirmation(c, userId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const given = { hash: credential.hash, password: currentPassword, wrong: wrongPassword };
    const hashing = await verifyCounted(c, userId, given);
    if (!hashing.ok) return refuse(c, hashing.refusal);
    releaseConfirmation(c, userId);

    const newHash = await hashing.value.hash(newPassword);
    if (!newHash.ok) return refuse(c, newHash.refusal);
    const token = (await sessionTokenOf(c)) ?? "";
    const mail = await accountMail(c, credential, "password_changed");
    const event = { ...(await accountEvent(c, userId, "password_changed")), mail };
    const changed = await readFromDatabase(c, "home", (database) =>
      change(database, credential, newHash.value, { keptToken: token, event }),
    );
    if (!changed.ok) return refuse(c, changed.refusal);
    if (!changed.value) return refuse(c, wrongPassword);
    if (mail !== undefined) sendMails(c, "home");
    await rememberDevice(c, { email: credential.email, hash: newHash.value });
    return c.json(success, 200);
  },
});
