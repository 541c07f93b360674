import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  ok,
  refusals,
  refuse,
  refuseInvalid,
  withJsonBody,
} from "../../../http/endpoint.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { findCredentialByEmail } from "../../../store/accounts/passwords.ts";
import { readFromDatabase } from "../../read-database.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { knownDevice } from "./known-device.ts";
import { countSignIn, releaseSignIn } from "./limits.ts";
import { startSession } from "./start-session.ts";
import { UserReply, userReply } from "./user.ts";

const SignInBody = z.object({ email: fields.email("email"), password: fields.text("password", 128) }).openapi("SignIn");

const SignedIn = z.object({ redirect: z.literal(false), token: z.string(), user: UserReply }).openapi("SignedIn");

export const signIn = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-in/email",
    operationId: "signIn",
    tags: ["Sign-in"],
    summary: "Sign in",
    description: "A wrong password and an e-mail address without an account get the same response.",
    ...withJsonBody(fromOwnOrigin()),
    request: { body: body(SignInBody) },
    responses: {
      ...ok("Signed in. The response sets the session cookie.", SignedIn),
      ...refusals([...writeRefusals, ...inputRefusals, "sign_in_failed", ...commonRefusals]),
    },
  }),
  hook: refuseInvalid(SignInBody),
  handler: async (c) => {
    const { email, password } = c.req.valid("json");
    const found = await readFromDatabase(c, (database) => findCredentialByEmail(database, email));
    if (!found.ok) return refuse(c, found.refusal);
    const hash = found.value?.hash ?? undefined;
    const device = hash === undefined ? undefined : await knownDevice(c, { email, hash });
    const overLimit = await countSignIn(c, email, device);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const { hashPassword, verifyPassword } = await import("better-auth/crypto");
    if (found.value === undefined || hash === undefined) {
      // Takes as long as a wrong password, so that timing doesn't reveal whether there is an account.
      await hashPassword(password);
      return refuse(c, { code: "sign_in_failed" });
    }
    if (!(await verifyPassword({ hash, password }))) return refuse(c, { code: "sign_in_failed" });

    const started = await startSession(c, { ...found.value, hash });
    if (!started.ok) return refuse(c, started.refusal);
    releaseSignIn(c, email, device);
    return c.json({ redirect: false as const, token: started.value, user: userReply(found.value) }, 200);
  },
});
