import { createRoute } from "@hono/zod-openapi";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofWrite } from "../../http/session-refusals.ts";
import * as wire from "../../http/wire.ts";
import * as z from "../../http/zod.ts";
import { fromOwnOriginAndBody } from "../session-access.ts";
import { countSignIn, uncountFailure } from "./limits.ts";
import { UserReply, userReply } from "./user.ts";
import { withAuth } from "./with-auth.ts";

const SignInBody = z.object({ email: fields.email("email"), password: wire.text("password", 128) }).openapi("SignIn");

const SignedIn = z.object({ redirect: z.literal(false), token: z.string(), user: UserReply }).openapi("SignedIn");

export const signIn = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-in/email",
    operationId: "signIn",
    tags: ["Sign-in"],
    summary: "Sign in",
    description: "A wrong password and an address that has no account are answered alike.",
    ...fromOwnOriginAndBody(),
    request: { body: body(SignInBody) },
    responses: {
      ...ok("Signed in: the answer sets the session's cookie", SignedIn),
      ...refusals(undefined, [...ofWrite, ...ofInput, "sign_in_failed", "rate_limited", "internal", "unavailable"]),
    },
  }),
  hook: refuseFaults(SignInBody),
  handler: async (c) => {
    const body = c.req.valid("json");
    const pastLimit = await countSignIn(c, body.email);
    if (pastLimit !== undefined) return refuse(c, pastLimit);
    const signedIn = await withAuth(c, (auth) =>
      auth.api.signInEmail({ body, headers: c.req.raw.headers, returnHeaders: true }),
    );
    if (!signedIn.ok) return refuse(c, signedIn.refusal);
    uncountFailure(c, body.email);
    const { token, user } = signedIn.value;
    return c.json({ redirect: false as const, token, user: userReply(user) }, 200);
  },
});
