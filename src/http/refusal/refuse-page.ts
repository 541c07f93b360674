import { createHash } from "node:crypto";
import type { Context } from "hono";
import { html, raw } from "hono/html";
import type { Refusal } from "#domain/refusal.ts";
import type { AppEnv } from "../context.ts";
import { pageHeaders } from "../page-headers.ts";
import { refuse } from "./refuse.ts";
import { entryOf, messageOf, retryAfterOf } from "./table.ts";

const style =
  "body{margin:15vh auto;max-width:26rem;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}" +
  ":root{color-scheme:light dark}h1{font-size:1.4rem}code{opacity:.7}";
const styleHash = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
const policy = pageHeaders["Content-Security-Policy"].replace("style-src 'self'", `style-src ${styleHash}`);

/** For a GET that a browser navigates to: a page with the refusal's code. Other callers get the refusal as JSON. */
export async function refusePage(c: Context<AppEnv>, refusal: Refusal, back: string): Promise<Response> {
  if (!c.req.header("Accept")?.includes("text/html")) return refuse(c, refusal);
  Object.assign(c.get("log"), { refusal });
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  for (const [name, value] of Object.entries({ ...pageHeaders, "Content-Security-Policy": policy }))
    c.header(name, value);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign-in failed</title>
<style>${raw(style)}</style>
</head>
<body>
<h1>Sign-in failed</h1>
<p>${messageOf(refusal, undefined)}</p>
<p><a href="${back}">Back</a></p>
<p><code>${refusal.code}</code></p>
</body>
</html>
`;
  return c.html(page, entryOf(refusal.code).status);
}
