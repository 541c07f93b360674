import { createRoute } from "@hono/zod-openapi";
import { hashLinkToken } from "../../../domain/link-token.ts";
import { body } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { findReset, resetPassword as reset } from "../../../store/accounts/passwords.ts";
import { readFromDatabase } from "../../read-database.ts";
import { fromOwnOriginAndBody } from "../guards.ts";
import { done, success } from "./done.ts";
import { rememberDevice } from "./known-device.ts";
import { countReset } from "./limits.ts";
import { refusalOfPassword } from "./new-password.ts";

const PasswordReset = z
  .object({
    token: fields.filled("token").describe("Token from the link that `npm run reset-password` prints."),
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
    ...fromOwnOriginAndBody(),
    request: { body: body(PasswordReset) },
    responses: {
      ...done("Password changed. Sign in with the new one."),
      ...refusals(undefined, [
        ...writeRefusals,
        ...inputRefusals,
        "reset_invalid",
        "rate_limited",
        "https_required",
        "internal",
        "unavailable",
      ]),
    },
  }),
  hook: refuseInvalid(PasswordReset),
  handler: async (c) => {
    const { token, newPassword } = c.req.valid("json");
    const { at } = c.get("call");
    const pastLimit = await countReset(c);
    if (pastLimit !== undefined) return refuse(c, pastLimit);
    const tokenHash = hashLinkToken(token);
    const found = await readFromDatabase(c, (database) => findReset(database, tokenHash, at));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    if (credential === undefined) return refuse(c, { code: "reset_invalid" });
    const weak = await refusalOfPassword("newPassword", newPassword, credential);
    if (weak !== undefined) return refuse(c, weak);

    const { hashPassword } = await import("better-auth/crypto");
    const newHash = await hashPassword(newPassword);
    const changed = await readFromDatabase(c, (database) =>
      reset(database, { tokenHash, userId: credential.userId }, newHash, at),
    );
    if (!changed.ok) return refuse(c, changed.refusal);
    if (!changed.value) return refuse(c, { code: "reset_invalid" });
    // Whoever was locked out by a stranger's guesses can sign in from here.
    await rememberDevice(c, { email: credential.email, hash: newHash });
    return c.json(success, 200);
  },
});
