import { createRoute } from "@hono/zod-openapi";
import { body } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { invalidField, refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { sessionTokenOf } from "../../../http/session-cookie.ts";
import { changePassword as change, findCredential } from "../../../store/accounts/passwords.ts";
import { readFromDatabase } from "../../read-database.ts";
import { signedInAndBody } from "../guards.ts";
import { done, success } from "./done.ts";
import { rememberDevice } from "./known-device.ts";
import { countPasswordChange, uncountPasswordChange } from "./limits.ts";
import { refusalOfPassword } from "./new-password.ts";

const PasswordChange = z
  .object({ currentPassword: wire.text("currentPassword", 128), newPassword: fields.newPassword("newPassword") })
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
    ...signedInAndBody(),
    request: { body: body(PasswordChange) },
    responses: {
      ...done("Password changed"),
      ...refusals(undefined, [...writeRefusals, ...inputRefusals, "rate_limited", ...sessionRefusals]),
    },
  }),
  hook: refuseInvalid(PasswordChange),
  handler: async (c) => {
    const userId = c.get("userId");
    const call = c.get("call");
    const { currentPassword, newPassword } = c.req.valid("json");
    const pastLimit = await countPasswordChange(c, userId);
    if (pastLimit !== undefined) return refuse(c, pastLimit);
    const found = await readFromDatabase(c, (database) => findCredential(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    const { hashPassword, verifyPassword } = await import("better-auth/crypto");
    const isRight =
      credential?.hash != null && (await verifyPassword({ hash: credential.hash, password: currentPassword }));
    if (!isRight) return refuse(c, wrongPassword);
    uncountPasswordChange(c, userId);
    const weak = await refusalOfPassword("newPassword", newPassword, credential);
    if (weak !== undefined) return refuse(c, weak);

    const newHash = await hashPassword(newPassword);
    const token = (await sessionTokenOf(c)) ?? "";
    const changed = await readFromDatabase(c, (database) =>
      change(database, credential, newHash, { keptToken: token, at: call.at }),
    );
    if (!changed.ok) return refuse(c, changed.refusal);
    if (!changed.value) return refuse(c, wrongPassword);
    await rememberDevice(c, { email: credential.email, hash: newHash });
    return c.json(success, 200);
  },
});
