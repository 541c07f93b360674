import { createRoute } from "@hono/zod-openapi";
import type { Ctx } from "../../http/app-env.ts";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { removeHalfMadeUser } from "../../store/users.ts";
import { fromDatabase } from "../from-database.ts";
import { fromOwnOriginAndBody } from "../session-access.ts";
import { countSignUp } from "./limits.ts";
import { UserReply, userReply } from "./user.ts";
import { withAuth } from "./with-auth.ts";

const SignUpBody = z
  .object({ name: fields.filled("name"), email: fields.email("email"), password: fields.newPassword("password") })
  .openapi("SignUp");

const SignedUp = z.object({ token: z.string().nullable(), user: UserReply }).openapi("SignedUp");

export const signUp = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-up/email",
    operationId: "signUp",
    tags: ["Sign-in"],
    summary: "Make an account, and sign in to it",
    ...fromOwnOriginAndBody(),
    request: { body: body(SignUpBody) },
    responses: {
      ...ok("Signed in: the answer sets the session's cookie", SignedUp),
      ...refusals(undefined, [...ofWrite, ...ofInput, "account_exists", "rate_limited", "internal", "unavailable"]),
    },
  }),
  hook: refuseFaults(SignUpBody),
  handler: async (c) => {
    const body = c.req.valid("json");
    const pastLimit = await countSignUp(c);
    if (pastLimit !== undefined) return refuse(c, pastLimit);
    const signedUp = await signUpAtLast(c, body);
    if (!signedUp.ok) return refuse(c, signedUp.refusal);
    const { token, user } = signedUp.value;
    return c.json({ token, user: userReply(user) }, 200);
  },
});

/** An account that was never finished does not stand in its owner's way. */
async function signUpAtLast(c: Ctx, body: z.output<typeof SignUpBody>) {
  const ask = () =>
    withAuth(c, (auth) => auth.api.signUpEmail({ body, headers: c.req.raw.headers, returnHeaders: true }));
  const first = await ask();
  if (first.ok || first.refusal.code !== "account_exists") return first;
  const removed = await fromDatabase(c, (database) => removeHalfMadeUser(database, body.email, c.var.call.at));
  if (!removed.ok) return removed;
  return removed.value ? ask() : first;
}
