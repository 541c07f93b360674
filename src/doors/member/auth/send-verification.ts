import { addressLink, verifiesAddresses } from "#api/address-link.ts";
import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { linkedApps } from "#domain/link-token.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { mailVerification } from "#store/accounts/address-verifications.ts";
import { findAccount } from "#store/accounts/users.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { done, success } from "./done.ts";
import { countMail } from "./limits.ts";

const VerificationRequest = z
  .object({
    app: z.enum(linkedApps).default("app").describe("Where the link leads: the dashboard, or the partners' pages."),
  })
  .openapi("VerificationRequest");

export const sendVerification = endpoint({
  route: createRoute({
    method: "post",
    path: "/send-verification",
    operationId: "sendVerification",
    tags: ["Sign-in"],
    summary: "Mail a verification link",
    description:
      "To the address of your account, up to 5 an hour. Earlier links stay good. Nothing is mailed to an address that is verified already. Refused where the service sends no mail.",
    ...withJsonBody(signedIn()),
    request: { body: body(VerificationRequest) },
    responses: {
      ...done("A link is on its way. It works within 24 hours."),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "no_mail"]),
    },
  }),
  handler: async (c) => {
    if (!verifiesAddresses(c)) return refuse(c, { code: "no_mail" });
    const userId = c.get("userId");
    const found = await readFromDatabase(c, "home", (database) => findAccount(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, { code: "no_session" });
    const { email, emailVerified } = found.value;
    if (emailVerified) return c.json(success, 200);
    const overLimit = await countMail(c, "verify_address", email);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const link = await addressLink(c, email, c.req.valid("json").app);
    if (link === undefined) return refuse(c, { code: "no_mail" });
    const { at } = c.get("call");
    const mailed = await readFromDatabase(c, "home", (database) => mailVerification(database, userId, link, at));
    if (!mailed.ok) return refuse(c, mailed.refusal);
    sendMails(c, "home");
    return c.json(success, 200);
  },
});
