import { readFromDatabase } from "#api/read-database.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { body, createRoute, endpoint, invalidField, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { markConfirmed } from "#store/accounts/sessions.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { confirmIdentity, type Proof } from "./confirm-identity.ts";
import { done, success } from "./done.ts";
import { code } from "./second-factor.ts";

const Reauthentication = z
  .object({
    password: fields.optional(fields.text("password", 128)).describe("Required without two-factor authentication."),
    code: fields.optional(code()).describe("Required with two-factor authentication: a code, or a recovery code."),
  })
  .openapi("Reauthentication");

function proofOf(twoFactor: boolean, { password, code }: z.output<typeof Reauthentication>): Result<Proof> {
  if (twoFactor) return code === null ? refused(invalidField("code", "code is required")) : ok({ code });
  return password === null ? refused(invalidField("password", "password is required")) : ok({ password });
}

export const reauthenticate = endpoint({
  route: createRoute({
    method: "post",
    path: "/reauthenticate",
    operationId: "reauthenticate",
    tags: ["Sign-in"],
    summary: "Confirm who you are",
    description:
      "For the next 60 minutes, this session can confirm payouts, create keys, invite members and make the other changes that return 403 `reauthenticate`.",
    ...withJsonBody(signedIn()),
    request: { body: body(Reauthentication) },
    responses: {
      ...done("Confirmed"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const given = c.req.valid("json");
    const confirmed = await confirmIdentity(c, c.get("userId"), ({ twoFactor }) => proofOf(twoFactor, given));
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const token = (await sessionTokenOf(c)) ?? "";
    const marked = await readFromDatabase(c, "home", (database) => markConfirmed(database, token, c.get("call").at));
    return marked.ok ? c.json(success, 200) : refuse(c, marked.refusal);
  },
});
