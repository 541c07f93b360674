import { countSignIn, countSignInAttempt, releaseSignIn } from "#api/account-limits.ts";
import { hasUsedCode, knownDevice, rememberCode } from "#api/known-devices.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import { openHashing } from "#http/hashing.ts";
import { digest } from "#http/keyed-digest.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { readSignedCookie, setSignedCookie } from "#http/session-cookie.ts";
import { findCredential, findCredentialByEmail } from "#store/accounts/passwords.ts";
import { refusalOfBound } from "../authorize.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { code, useCode } from "./confirm-identity.ts";
import { deviceAccount, keepFailedSignIn, SignedIn, startSession, userReply } from "./start-session.ts";

const SignInBody = z.object({ email: fields.email("email"), password: fields.text("password", 128) }).openapi("SignIn");

const SecondStep = z
  .object({
    twoFactorRequired: z
      .literal(true)
      .describe("The account has two-factor authentication: send a code to `/api/auth/sign-in/totp` within 5 minutes."),
  })
  .openapi("SecondStep");

export const signIn = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-in/email",
    operationId: "signIn",
    tags: ["Sign-in"],
    summary: "Sign in",
    description: "A wrong password and an email address without an account get the same response.",
    ...withJsonBody(fromOwnOrigin(countSignInAttempt)),
    request: { body: body(SignInBody) },
    responses: {
      ...returns(
        "Signed in, and the response sets the session cookie; or, with two-factor authentication, the second step is required.",
        z.union([SignedIn, SecondStep]),
      ),
      ...refusals([...writeRefusals, ...inputRefusals, "sign_in_failed", "oidc_required", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { email, password } = c.req.valid("json");
    const found = await readFromDatabase(c, "home", (database) => findCredentialByEmail(database, email));
    if (!found.ok) return refuse(c, found.refusal);
    const hash = found.value?.hash ?? undefined;
    const device = hash === undefined ? undefined : await knownDevice(c, { email, hash });
    // Checked before the attempt is counted: if no password can be hashed now, the attempt must not count as a failed
    // sign-in.
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
    const bound = await refusalOfBound(c, { userId: found.value.userId, identityId: null });
    if (bound !== undefined) return refuse(c, bound);
    if (found.value.twoFactor && !(await hasUsedCode(c, found.value))) {
      await beginSecondStep(c, { ...found.value, by: { hash } });
      releaseSignIn(c, email, device);
      return c.json({ twoFactorRequired: true as const }, 200);
    }

    const started = await startSession(c, { ...found.value, by: { hash } });
    if (!started.ok) return refuse(c, started.refusal);
    releaseSignIn(c, email, device);
    return c.json({ redirect: false as const, token: started.value, user: userReply(found.value) }, 200);
  },
});

// Between the two steps of a sign-in, a signed cookie proves that the first step succeeded. The cookie itself gives no
// access. It becomes invalid when any code of the account is used, so that a copied cookie can't be used with a later
// code.

const cookie = "second_step";
const validSeconds = 5 * 60;

/** The first step: a password, or an identity. */
type FirstStep = { readonly hash: string } | { readonly identityId: string };

interface HalfSignedIn {
  readonly userId: string;
  readonly by: FirstStep;
  readonly lastCodeUse: string | null;
}

const stepProofOf = (c: Ctx, { userId, by, lastCodeUse }: HalfSignedIn, until: string): string =>
  digest(hashSecretOf(c.env), "second-step", userId, ...Object.entries(by).flat(), lastCodeUse ?? "", until);

export async function beginSecondStep(c: Ctx, account: HalfSignedIn): Promise<void> {
  const { userId, by } = account;
  const until = String(c.get("call").at + validSeconds * 1000);
  const identity = "identityId" in by ? `.${by.identityId}` : "";
  await setSignedCookie(c, cookie, `${userId}.${until}.${stepProofOf(c, account, until)}${identity}`, validSeconds);
}

const endSecondStep = (c: Ctx): Promise<void> => setSignedCookie(c, cookie, "", 0);

interface Step {
  readonly userId: string;
  /** Undefined if the first step was a password. */
  readonly identityId: string | undefined;
  isOf(account: Omit<HalfSignedIn, "userId">): boolean;
}

async function userOfSecondStep(c: Ctx): Promise<Step | undefined> {
  const [userId, until = "", proof, identityId] = (await readSignedCookie(c, cookie))?.split(".") ?? [];
  if (userId === undefined || Number(until) < c.get("call").at) return undefined;
  // After a password, the proof is a digest that includes the password hash, so a new password invalidates the cookie.
  return { userId, identityId, isOf: (account) => proof === stepProofOf(c, { ...account, userId }, until) };
}

function firstStepOf({ identityId }: Step, hash: string | null): FirstStep | undefined {
  if (identityId !== undefined) return { identityId };
  return hash === null ? undefined : { hash };
}

const SignInCode = z
  .object({ code: code().describe("A code of the authenticator app, or a recovery code.") })
  .openapi("SignInCode");

export const signInWithCode = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-in/totp",
    operationId: "signInWithCode",
    tags: ["Sign-in"],
    summary: "Sign in: second step",
    description:
      "Send it within 5 minutes of the first step. A first step can be completed once, and is void if a code is used elsewhere in the meantime. Each code works once. Afterwards, this browser isn't asked for a code for 30 days.",
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
    const first = credential && firstStepOf(step, credential.hash);
    if (credential === undefined || first === undefined) return refuse(c, { code: "sign_in_expired" });
    const { userId, email, lastCodeUse } = credential;
    if (lastCodeUse === null || !step.isOf({ by: first, lastCodeUse })) return refuse(c, { code: "sign_in_expired" });
    // The code confirms who the user is, even if the provider doesn't say when it last checked that.
    const by = "hash" in first ? first : { ...first, hasProviderFactor: false, confirmedAt: c.get("call").at };
    const device = await knownDevice(c, deviceAccount({ email, by }));
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
      { userId, email, by },
      isRecovered ? "signed_in_with_recovery_code" : "signed_in",
    );
    if (!started.ok) return refuse(c, started.refusal);
    await endSecondStep(c);
    await rememberCode(c, credential);
    releaseSignIn(c, email, device);
    return c.json({ redirect: false as const, token: started.value, user: userReply(credential) }, 200);
  },
});
