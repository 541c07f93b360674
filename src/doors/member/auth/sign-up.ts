import { linkedApps } from "#domain/link-token.ts";
import { body, commonRefusals, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { createAccount } from "./create-account.ts";
import { countSignUp } from "./limits.ts";
import { refusalOfPassword } from "./new-password.ts";
import { startSession } from "./start-session.ts";
import { UserReply, userReply } from "./user.ts";

const SignUpBody = z
  .object({
    name: fields.nonBlank("name"),
    email: fields.email("email"),
    password: fields.newPassword("password"),
    invitation: fields
      .optional(fields.nonBlank("invitation"))
      .describe("Token of an invitation, which signing up accepts, or of the link for the first owner."),
    app: z
      .enum(linkedApps)
      .default("app")
      .describe("Where the mailed link leads that verifies the address: the dashboard, or the partners' pages."),
    joinPage: fields
      .optional(fields.nonBlank("joinPage", 40))
      .describe(
        "Address of an open join page, which needs no invitation: the account can apply, and owns no workspace.",
      ),
  })
  .openapi("SignUp");

const SignedUp = z.object({ token: z.string().nullable(), user: UserReply }).openapi("SignedUp");

export const signUp = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-up/email",
    operationId: "signUp",
    tags: ["Sign-in"],
    summary: "Create an account and sign in",
    description:
      "Accepts the invitation, if the body has one, so that you are a member of its workspace at once. Where the service sends mail, it mails a link that verifies the address, and an address is free again that an account without anything else has held unverified for a day.",
    ...withJsonBody(fromOwnOrigin(countSignUp)),
    request: { body: body(SignUpBody) },
    responses: {
      ...returns("Signed in. The response sets the session cookie.", SignedUp),
      ...refusals([
        ...writeRefusals,
        ...inputRefusals,
        ...(["account_exists", "invitation_invalid", "sign_up_by_invitation"] as const),
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const body = c.req.valid("json");
    const refusal = await refusalOfPassword("password", body.password, body);
    if (refusal !== undefined) return refuse(c, refusal);
    const account = await createAccount(c, body);
    if (!account.ok) return refuse(c, account.refusal);
    const { user, hash } = account.value;
    const started = await startSession(c, { ...user, hash }, "signed_up");
    if (!started.ok) return refuse(c, started.refusal);
    return c.json({ token: started.value, user: userReply(user) }, 200);
  },
});
