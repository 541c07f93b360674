import { readFromDatabase } from "#api/read-database.ts";
import { body, commonRefusals, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findCredential } from "#store/accounts/passwords.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { keepFailedSignIn } from "./account-event.ts";
import { knownDevice, rememberCode } from "./known-device.ts";
import { countSignIn, countSignInAttempt, releaseSignIn } from "./limits.ts";
import { code, useCode } from "./second-factor.ts";
import { endSecondStep, userOfSecondStep } from "./second-step.ts";
import { SignedIn } from "./signed-in.ts";
import { startSession } from "./start-session.ts";
import { userReply } from "./user.ts";

const SignInCode = z.object({ code: code().describe("A code, or a recovery code.") }).openapi("SignInCode");

export const signInWithCode = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-in/totp",
    operationId: "signInWithCode",
    tags: ["Sign-in"],
    summary: "Sign in: second step",
    description:
      "Within 5 minutes of the first step, and once: a code used meanwhile ends it. Each code works once. For 30 days, this browser is not asked for a code again.",
    ...withJsonBody(fromOwnOrigin(countSignInAttempt)),
    request: { body: body(SignInCode) },
    responses: {
      ...returns("Signed in. The response sets the session cookie.", SignedIn),
      ...refusals([...writeRefusals, ...inputRefusals, "sign_in_expired", "two_factor_failed", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const step = await userOfSecondStep(c);
    if (step === undefined) return refuse(c, { code: "sign_in_expired" });
    const found = await readFromDatabase(c, "home", (database) => findCredential(database, step.userId));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    const hash = credential?.hash;
    if (credential === undefined || hash == null) return refuse(c, { code: "sign_in_expired" });
    const { userId, email, lastCodeUse } = credential;
    if (lastCodeUse === null || !step.isOf({ hash, lastCodeUse })) return refuse(c, { code: "sign_in_expired" });
    const device = await knownDevice(c, { email, hash });
    const overLimit = await countSignIn(c, email, device);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const used = await useCode(c, { userId, email }, c.req.valid("json").code, lastCodeUse);
    if (!used.ok) return refuse(c, used.refusal);
    if (used.value === undefined) {
      keepFailedSignIn(c, userId);
      return refuse(c, { code: "two_factor_failed" });
    }
    const isRecovered = used.value === "recovery_code";
    const started = await startSession(
      c,
      { userId, email, hash },
      isRecovered ? "signed_in_with_recovery_code" : "signed_in",
    );
    if (!started.ok) return refuse(c, started.refusal);
    await endSecondStep(c);
    await rememberCode(c, credential);
    releaseSignIn(c, email, device);
    return c.json({ redirect: false as const, token: started.value, user: userReply(credential) }, 200);
  },
});
