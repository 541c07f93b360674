import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { ok, refused } from "#domain/result.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { turnOffSecondFactor } from "#store/accounts/second-factors.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { accountMail } from "./account-mail.ts";
import { confirmIdentity } from "./confirm-identity.ts";
import { done, success } from "./done.ts";
import { code } from "./second-factor.ts";

const TotpRemoval = z
  .object({ password: fields.text("password", 128), code: code().describe("A code, or a recovery code.") })
  .openapi("TotpRemoval");

export const turnOffTotp = endpoint({
  route: createRoute({
    method: "delete",
    path: "/totp",
    operationId: "turnOffTotp",
    tags: ["Sign-in"],
    summary: "Turn off two-factor authentication",
    description:
      "Requires your password and a code. Refused while a workspace of yours requires two-factor authentication.",
    ...withJsonBody(signedIn()),
    request: { body: body(TotpRemoval) },
    responses: {
      ...done("Two-factor authentication is off"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_off", "two_factor_needed"]),
    },
  }),
  handler: async (c) => {
    const proof = c.req.valid("json");
    const userId = c.get("userId");
    const confirmed = await confirmIdentity(c, userId, ({ twoFactor }) =>
      twoFactor ? ok(proof) : refused({ code: "two_factor_off" }),
    );
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const mail = await accountMail(c, confirmed.value, "two_factor_turned_off");
    const event = { ...(await accountEvent(c, userId, "two_factor_turned_off")), mail };
    const turnedOff = await readFromDatabase(c, "home", (database) => turnOffSecondFactor(database, event));
    if (!turnedOff.ok) return refuse(c, turnedOff.refusal);
    if (mail !== undefined) sendMails(c, "home");
    return turnedOff.value === "off" ? c.json(success, 200) : refuse(c, { code: "two_factor_needed" });
  },
});
