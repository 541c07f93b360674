import { mailRow, sendMails, strangersMailOrigin } from "#api/mail.ts";
import { hourMs } from "#domain/calendar.ts";
import { hashLinkToken, linkedApps, resetLink } from "#domain/link-token.ts";
import { passwordReset } from "#domain/mail/letters.ts";
import { home } from "#domain/shard.ts";
import { databaseOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { body, commonRefusals, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { logError } from "#http/log.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { mailReset } from "#store/accounts/passwords.ts";
import { openDatabase } from "#store/database.ts";
import { fromOwnOrigin, inputRefusals, writeRefusals } from "../guards.ts";
import { done, success } from "./done.ts";
import { countForgottenPassword, countMail, countResetRequest } from "./limits.ts";

const ForgottenPassword = z
  .object({
    email: fields.email("email"),
    app: z.enum(linkedApps).default("app").describe("Where the link leads: the dashboard, or the partners' pages."),
  })
  .openapi("ForgottenPassword");

const validMs = hourMs;
const quietMs = 5 * 60_000;

type Forgotten = z.output<typeof ForgottenPassword>;

export const forgotPassword = endpoint({
  route: createRoute({
    method: "post",
    path: "/forgot-password",
    operationId: "forgotPassword",
    tags: ["Sign-in"],
    summary: "Mail a reset link",
    description:
      "The response is the same whether the address has an account or not. A repeat within 5 minutes sends no second mail, and an address gets 5 an hour at most. Refused where the service sends no mail.",
    ...withJsonBody(fromOwnOrigin(countForgottenPassword)),
    request: { body: body(ForgottenPassword) },
    responses: {
      ...done("If the address has an account, a link is on its way. It works once, within an hour."),
      ...refusals([...writeRefusals, ...inputRefusals, "no_mail", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const origin = strangersMailOrigin(c);
    if (origin === undefined) return refuse(c, { code: "no_mail" });
    const forgotten = c.req.valid("json");
    const overLimit = await countResetRequest(c);
    if (overLimit !== undefined) return refuse(c, overLimit);
    // After the response, whose time would otherwise reveal that there is an account.
    c.executionCtx.waitUntil(mailLink(c, origin, forgotten).catch((error: unknown) => logError(c, error)));
    return c.json(success, 200);
  },
});

async function mailLink(c: Ctx, origin: string, forgotten: Forgotten): Promise<void> {
  const token = randomSecret();
  const to = forgotten.email.toLowerCase();
  if ((await countMail(c, "password_reset", to)) !== undefined) return;
  const letter = passwordReset({ link: resetLink(origin, token, forgotten.app), minutes: validMs / 60_000 });
  const mail = await mailRow(c, { template: "password_reset", programId: null, mail: { to, ...letter } });
  if (mail === undefined) return;
  const reset = { email: to, tokenHash: hashLinkToken(token), at: c.get("call").at, validMs, quietMs };
  await mailReset(openDatabase(databaseOf(c.env, home)), reset, mail);
  sendMails(c, "home");
}
