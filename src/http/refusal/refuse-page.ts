import type { Context } from "hono";
import { escaped } from "#domain/mail/letter.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { AppEnv } from "../context.ts";
import { plainPage, plainPageHeaders } from "../plain-page.ts";
import { refuse } from "./refuse.ts";
import { entryOf, messageOf, retryAfterOf } from "./table.ts";

/**
 * Sends a refusal. A browser that navigates to the endpoint gets a page with the refusal's code. Other callers get
 * JSON.
 */
export async function refusePage(c: Context<AppEnv>, refusal: Refusal, back: string): Promise<Response> {
  if (!c.req.header("Accept")?.includes("text/html")) return refuse(c, refusal);
  Object.assign(c.get("log"), { refusal });
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  for (const [name, value] of plainPageHeaders) c.header(name, value);
  const page = plainPage(
    "Sign-in failed",
    `<p>${escaped(messageOf(refusal, undefined))}</p>
<p><a href="${escaped(back)}">Back</a></p>
<p><code>${escaped(refusal.code)}</code></p>`,
  );
  return c.html(page, entryOf(refusal.code).status);
}
