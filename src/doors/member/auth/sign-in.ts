import { readFromDatabase } from "#api/read-database.ts";
import { body, commonRefusals, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { openHashing } from "#http/hashing.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findCredentialByEmail } from "#store/accounts/passwords.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { keepFailedSignIn } from "./account-event.ts";
import { hasUsedCode, knownDevice } from "./known-device.ts";
import { countSignIn, countSignInAttempt, releaseSignIn } from "./limits.ts";
import { beginSecondStep } from "./second-step.ts";
import { SignedIn } from "./signed-in.ts";
import { startSession } from "./start-session.ts";
import { userReply } from "./user.ts";

const SignInBody = z.object({ email: fields.email("email"), password: fields.text("password", 128) }).openapi("SignIn");

const SecondStep = z
  .object({ twoFactorRequired: z.literal(true).describe("Send a code to `/api/auth/sign-in/totp` within 5 minutes.") })
  .openapi("SecondStep");

export const signIn = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-in/email",
    operationId: "signIn",
    tags: ["Sign-in"],
    summary: "Sign in",
    description: "A wrong password and an e-mail address without an account get the same response.",
    ...withJsonBody(fromOwnOrigin(countSignInAttempt)),
    request: { body: body(SignInBody) },
    responses: {
      ...returns(
        "Signed in, and the response sets the session cookie; or, with two-factor authentication, the second step is required.",
        z.union([SignedIn, SecondStep]),
      ),
      ...refusals([...writeRefusals, ...inputRefusals, "sign_in_failed", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { email, password } = c.req.valid("json");
    const found = await readFromDatabase(c, "home", (database) => findCredentialByEmail(database, email));
    if (!found.ok) return refuse(c, found.refusal);
    const hash = found.value?.hash ?? undefined;
    const device = hash === undefined ? undefined : await knownDevice(c, { email, hash });
    // First, because a call that isn't judged must not count as a failure.
    const hashing = openHashing(c, device === undefined ? "stranger" : "known");
    if (!hashing.ok) return refuse(c, hashing.refusal);
    const overLimit = await countSignIn(c, email, device);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const verified = await hashing.value.verify(hash, password);
    if (!verified.ok) return refuse(c, verified.refusal);
    if (found.value === undefined || hash === undefined || !verified.value) {
      if (found.value !== undefined) keepFailedSignIn(c, found.value.userId);
      return refuse(c, { code: "sign_in_failed" });
    }
    if (found.value.twoFactor && !(await hasUsedCode(c, found.value))) {
      await beginSecondStep(c, { ...found.value, hash });
      releaseSignIn(c, email, device);
      return c.json({ twoFactorRequired: true as const }, 200);
    }

    const started = await startSession(c, { ...found.value, hash });
    if (!started.ok) return refuse(c, started.refusal);
    releaseSignIn(c, email, device);
    return c.json({ redirect: false as const, token: started.value, user: userReply(found.value) }, 200);
  },
});
