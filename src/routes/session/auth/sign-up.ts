import { createRoute } from "@hono/zod-openapi";
import { hashLinkToken } from "../../../domain/link-token.ts";
import type { Refusal } from "../../../domain/refusal.ts";
import { signUpOf } from "../../../env.ts";
import { body, ok } from "../../../http/content.ts";
import type { Ctx } from "../../../http/context.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import type { SessionUser } from "../../../store/accounts/sessions.ts";
import { createAccount, isAdmissible } from "../../../store/accounts/users.ts";
import { readFromDatabase } from "../../read-database.ts";
import { fromOwnOriginAndBody } from "../guards.ts";
import { countSignUp } from "./limits.ts";
import { refusalOfPassword } from "./new-password.ts";
import { startSession } from "./start-session.ts";
import { UserReply, userReply } from "./user.ts";

const SignUpBody = z
  .object({
    name: fields.filled("name"),
    email: fields.email("email"),
    password: fields.newPassword("password"),
    invitation: wire
      .optional(fields.filled("invitation"))
      .describe("Token of an invitation, which signing up accepts, or of the link for the first owner."),
  })
  .openapi("SignUp");

const SignedUp = z.object({ token: z.string().nullable(), user: UserReply }).openapi("SignedUp");

const ofSignUp = ["account_exists", "invitation_invalid", "sign_up_by_invitation", "rate_limited"] as const;

export const signUp = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-up/email",
    operationId: "signUp",
    tags: ["Sign-in"],
    summary: "Create an account and sign in",
    ...fromOwnOriginAndBody(),
    request: { body: body(SignUpBody) },
    responses: {
      ...ok("Signed in. The response sets the session cookie.", SignedUp),
      ...refusals(undefined, [
        ...writeRefusals,
        ...inputRefusals,
        ...ofSignUp,
        "https_required",
        "internal",
        "unavailable",
      ]),
    },
  }),
  hook: refuseInvalid(SignUpBody),
  handler: async (c) => {
    const body = c.req.valid("json");
    const refusal = (await countSignUp(c)) ?? (await refusalOfPassword("password", body.password, body));
    if (refusal !== undefined) return refuse(c, refusal);
    const created = await createAccountOf(c, body);
    if (!created.ok) return refuse(c, created.refusal);
    const { user, hash } = created;
    const started = await startSession(c, { ...user, hash });
    if (!started.ok) return refuse(c, started.refusal);
    return c.json({ token: started.token, user: userReply(user) }, 200);
  },
});

type Created =
  | { readonly ok: true; readonly user: SessionUser; readonly hash: string }
  | { readonly ok: false; readonly refusal: Refusal };
const no = (refusal: Refusal): Created => ({ ok: false, refusal });

async function createAccountOf(c: Ctx, body: z.output<typeof SignUpBody>): Promise<Created> {
  const { name, password, invitation } = body;
  const isByInvitation = signUpOf(c.env) === "invited";
  const notAdmitted: Refusal = { code: isByInvitation ? "sign_up_by_invitation" : "invitation_invalid" };
  if (invitation === undefined && isByInvitation) return no(notAdmitted);

  const call = c.get("call");
  const admission =
    invitation === undefined ? undefined : { tokenHash: hashLinkToken(invitation), membershipId: crypto.randomUUID() };
  // Asked first, for to hash a password takes long.
  if (admission !== undefined) {
    const isAdmitted = await readFromDatabase(c, (database) => isAdmissible(database, admission.tokenHash, call.at));
    if (!isAdmitted.ok) return isAdmitted;
    if (!isAdmitted.value) return no(notAdmitted);
  }

  const { hashPassword } = await import("better-auth/crypto");
  const hash = await hashPassword(password);
  const email = body.email.toLowerCase();
  const ids = { userId: crypto.randomUUID(), accountId: crypto.randomUUID() };
  const account = { ...ids, name, email, passwordHash: hash };
  const made = await readFromDatabase(c, (database) => createAccount(database, account, admission, call));
  if (!made.ok) return made;
  if (made.value === "not_admissible") return no(notAdmitted);
  if (made.value === "account_exists") return no({ code: "account_exists" });
  const at = new Date(call.at);
  const user = { userId: ids.userId, name, email, emailVerified: false, image: null, createdAt: at, updatedAt: at };
  return { ok: true, user, hash };
}
