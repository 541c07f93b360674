import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { findCredential } from "#store/accounts/passwords.ts";
import { confirmSecondFactor, findSecondFactor } from "#store/accounts/second-factors.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { accountEvent } from "./account-event.ts";
import { accountMail } from "./account-mail.ts";
import { done, success } from "./done.ts";
import { rememberCode } from "./known-device.ts";
import { countConfirmation, releaseConfirmation } from "./limits.ts";
import { code, stepOfCode, wrongCode } from "./second-factor.ts";

const TotpConfirmation = z.object({ code: code() }).openapi("TotpConfirmation");

export const confirmTotp = endpoint({
  route: createRoute({
    method: "post",
    path: "/totp/confirm",
    operationId: "confirmTotp",
    tags: ["Sign-in"],
    summary: "Turn on two-factor authentication",
    description: "From then on, signing in requires a code.",
    ...withJsonBody(signedIn()),
    request: { body: body(TotpConfirmation) },
    responses: {
      ...done("Two-factor authentication is on"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_on", "two_factor_off"]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const overLimit = await countConfirmation(c, userId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const found = await readFromDatabase(c, "home", (database) => findSecondFactor(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    const factor = found.value;
    if (factor === undefined) return refuse(c, { code: "two_factor_off" });
    if (factor.confirmedAt !== null) return refuse(c, { code: "two_factor_on" });
    const step = await stepOfCode(c, userId, c.req.valid("json").code, factor);
    if (step === undefined) return refuse(c, wrongCode);
    releaseConfirmation(c, userId);
    const credential = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
    if (!credential.ok) return refuse(c, credential.refusal);
    const mail = credential.value && (await accountMail(c, credential.value, "two_factor_turned_on"));
    const event = { ...(await accountEvent(c, userId, "two_factor_turned_on")), mail };
    const confirmed = await readFromDatabase(c, "home", (database) =>
      confirmSecondFactor(database, { secret: factor.secret, step }, event),
    );
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    if (!confirmed.value) return refuse(c, wrongCode);
    if (mail !== undefined) sendMails(c, "home");
    const secondFactorAt = c.get("call").at;
    if (credential.value !== undefined) await rememberCode(c, { ...credential.value, secondFactorAt });
    return c.json(success, 200);
  },
});
