import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { html, raw } from "hono/html";
import type { TributaryProgram } from "tributary-sdk/program";

export interface Product {
  readonly tributary: Pick<TributaryProgram, "createEmbedToken">;
  readonly tributaryUrl: string;
  readonly embedId: string;
}

interface User {
  readonly id: string;
  readonly name: string;
}

/** The part of the SDK that runs in the browser. In your product, your bundler includes it. */
const sdk = fileURLToPath(import.meta.resolve("tributary-sdk/embed"));

export function createApp({ tributary, tributaryUrl, embedId }: Product): Hono {
  const app = new Hono();
  // A placeholder for your database.
  const users = new Map<string, User>();
  const userOf = (c: Context) => users.get(getCookie(c, "session") ?? "");

  app.get("/", (c) => {
    const user = userOf(c);
    return c.html(page(user ? home(user) : signIn));
  });

  app.post("/sign-in", async (c) => {
    const { name } = await c.req.parseBody();
    const session = randomUUID();
    users.set(session, { id: `user-${String(name).toLowerCase()}`, name: String(name) });
    setCookie(c, "session", session, { httpOnly: true, sameSite: "Lax" });
    return c.redirect("/", 303);
  });

  app.post("/sign-out", (c) => {
    users.delete(deleteCookie(c, "session") ?? "");
    return c.redirect("/", 303);
  });

  // Create the token for the user of your own session, never for an id that the browser sends.
  app.post("/referral-token", async (c) => {
    const user = userOf(c);
    if (!user) return c.json({ error: "Sign in first" }, 401);
    const { ok, data } = await tributary.createEmbedToken({ externalId: user.id, name: user.name });
    c.header("Cache-Control", "no-store");
    return ok ? c.json({ token: data.token, expiresIn: data.expiresIn }) : c.json({ error: "Try again later" }, 503);
  });

  app.get("/sdk.js", async (c) => c.body(await readFile(sdk, "utf8"), 200, { "content-type": "text/javascript" }));

  const home = ({ name }: User) => html`<h1>Hello, ${name}</h1>
<form method="post" action="/sign-out"><button>Sign out</button></form>
<h2>Invite your friends</h2>
<div id="referrals"></div>
<script type="module">
  import { mountReferrals } from "/sdk.js";
  mountReferrals(document.querySelector("#referrals"), {
    service: ${raw(JSON.stringify(tributaryUrl))},
    embedId: ${raw(JSON.stringify(embedId))},
    fetchToken: async () => {
      const response = await fetch("/referral-token", { method: "POST" });
      if (!response.ok) throw new Error("no token: " + response.status);
      return response.json();
    },
  });
</script>`;

  return app;
}

const signIn = html`<h1>Notes</h1>
<form method="post" action="/sign-in">
  <label>Your name <input name="name" required></label> <button>Sign in</button>
</form>`;

const page = (content: unknown) => html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notes</title>
<style>body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font-family: system-ui }</style>
${content}`;
