import { strangersMailOrigin } from "#api/mail.ts";
import { signUpModes } from "#domain/sign-up.ts";
import { signUpOf } from "#env.ts";
import { createRoute, endpoint, returns, refusals } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";

const SignUpReply = z
  .object({
    signUp: z.enum(signUpModes).describe("`invited`: creating an account requires an invitation token."),
    sendsMail: z.boolean().describe("True if a forgotten password can be reset by email."),
  })
  .openapi("SignUpMode");

export const getSignUp = endpoint({
  route: createRoute({
    method: "get",
    path: "/sign-up",
    operationId: "getSignUp",
    tags: ["Sign-in"],
    summary: "Get the sign-up mode",
    description:
      "Says whether anyone can create an account, or only someone with an invitation, and whether the service sends mail. Requires no session.",
    security: [],
    responses: {
      ...returns("Sign-up mode", SignUpReply),
      ...refusals(["https_required", "internal"]),
    },
  }),
  handler: (c) => c.json({ signUp: signUpOf(c.env), sendsMail: strangersMailOrigin(c) !== undefined }, 200),
});
