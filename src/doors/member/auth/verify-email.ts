import { readFromDatabase } from "#api/read-database.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { body, commonRefusals, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { verifyAddress } from "#store/accounts/address-verifications.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { done, success } from "./done.ts";
import { countVerification } from "./limits.ts";

const Verification = z
  .object({ token: fields.nonBlank("token").describe("Token of a mailed link.") })
  .openapi("Verification");

export const verifyEmail = endpoint({
  route: createRoute({
    method: "post",
    path: "/verify-email",
    operationId: "verifyEmail",
    tags: ["Sign-in"],
    summary: "Verify your email address",
    description:
      "Requires no session: the link may be opened in another browser, which then ends the account's sessions and second factor, since these were set up before anyone showed that they read its mail. A repeat changes nothing.",
    ...withJsonBody(fromOwnOrigin(countVerification)),
    request: { body: body(Verification) },
    responses: {
      ...done("The address of the account is verified."),
      ...refusals([...writeRefusals, ...inputRefusals, "verification_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const { at } = c.get("call");
    const opened = { tokenHash, sessionToken: await sessionTokenOf(c), at };
    const verified = await readFromDatabase(c, "home", (database) => verifyAddress(database, opened));
    if (!verified.ok) return refuse(c, verified.refusal);
    return verified.value ? c.json(success, 200) : refuse(c, { code: "verification_invalid" });
  },
});
