import { readFromDatabase } from "#api/read-database.ts";
import { readUnsubscribeToken } from "#domain/mail/unsubscribe.ts";
import { authSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { commonRefusals, createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { plainPage, plainPageHeaders } from "#http/plain-page.ts";
import { countUser } from "#http/rate-limits.ts";
import * as z from "#http/schema/zod.ts";
import { stopAllMails } from "#store/accounts/team-mail-choices.ts";

// One-click unsubscribing, as in RFC 8058. A mail client posts without cookies and from any origin, so the token in the
// path is the only credential. A GET changes nothing, because mail scanners open links.

const account = '<a href="/app/account">your account</a>';
const question = plainPage(
  "Stop these emails?",
  `<p>You get a daily email if tasks are waiting in your programs. To stop these emails for all programs, confirm:</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Stop these emails</button></form>
<p>To stop only some of them, open ${account}.</p>`,
);
const done = plainPage(
  "These emails are stopped",
  `<p>You won't get any more daily emails about tasks. To start them again, open ${account}.</p>`,
);
const invalid = plainPage(
  "This link is invalid",
  `<p>Nothing was changed. To choose your emails, open ${account}.</p>`,
);

function setPageHeaders(c: Ctx): void {
  for (const [name, value] of plainPageHeaders) c.header(name, value);
}

const userOf = (c: Ctx, token: string): string | undefined => readUnsubscribeToken(authSecretOf(c.env), token);

const TokenPath = z.object({ token: z.string().openapi({ description: "The signed token in the email." }) });
const html = (description: string) => ({
  description,
  content: { "text/html": { schema: z.string(), example: "<!doctype html>" } },
});

export const confirmUnsubscribe = endpoint({
  route: createRoute({
    method: "get",
    path: "/unsubscribe/{token}",
    operationId: "confirmUnsubscribe",
    tags: ["Management"],
    summary: "Show the page that stops emails",
    description:
      "Requires only the token of the email, not a session. Shows a page with a button, and changes nothing.",
    security: [],
    request: { params: TokenPath },
    responses: {
      ...refusals(commonRefusals),
      200: html("A page with a button that sends the POST"),
      400: html("A page which says that the token is invalid"),
    },
  }),
  handler: (c) => {
    setPageHeaders(c);
    return userOf(c, c.req.valid("param").token) === undefined ? c.html(invalid, 400) : c.html(question, 200);
  },
});

export const unsubscribe = endpoint({
  route: createRoute({
    method: "post",
    path: "/unsubscribe/{token}",
    operationId: "unsubscribe",
    tags: ["Management"],
    summary: "Stop emails about open tasks",
    description:
      "Turns off the emails of all programs for the account that got the email. Mail clients send this call, as in RFC 8058: without a session, and from any origin. Repeating it changes nothing.",
    security: [],
    request: { params: TokenPath },
    responses: {
      ...refusals(commonRefusals),
      200: html("The emails are stopped"),
      400: html("The token is invalid. Nothing was changed"),
    },
  }),
  handler: async (c) => {
    const userId = userOf(c, c.req.valid("param").token);
    if (userId === undefined) {
      setPageHeaders(c);
      return c.html(invalid, 400);
    }
    const { at } = c.get("call");
    // Counts these calls separately from the calls of the user's sessions. Otherwise a reader of a forwarded mail could
    // use up the user's limit.
    const overLimit = await countUser(c, `unsubscribe ${userId}`);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const saved = await readFromDatabase(c, "home", (database) => stopAllMails(database, { userId, at }));
    if (!saved.ok) return refuse(c, saved.refusal);
    setPageHeaders(c);
    return c.html(done, 200);
  },
});
