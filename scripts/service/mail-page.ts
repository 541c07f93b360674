import { createHash } from "node:crypto";
import { escaped } from "#domain/mail/letter.ts";
import type { Mail, MailTemplate } from "#domain/mail/mail.ts";

export interface ReceivedMail extends Mail {
  readonly template: MailTemplate;
  /** The time at which the email arrived (ms). */
  readonly at: number;
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; background: light-dark(#fff, #14161c); color: light-dark(#1a1c22, #e6e8ee) }
a { color: light-dark(#2b4fd0, #9db4ff) }
article { border-top: 1px solid #8888; padding: 1rem 0 }
h2 { font-size: 1.125rem; margin: 0 }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere }
`;

export const mailPageHeaders = {
  "cache-control": "no-store",
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Returns the page of the received emails. `mails` is in order of time, newest first. */
export const mailPage = (mails: readonly ReceivedMail[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mail</title>
<style>${style}</style>
<main>
<h1>Mail</h1>
<p>npm start sends no mail. What it would have sent is here until it stops, newest first. Reload the page to see more.</p>
${mails.length === 0 ? "<p>No mail yet. Invite a partner who has an email address to see one.</p>" : mails.map(article).join("\n")}
</main>
</html>
`;

const article = ({ template, to, subject, text, at }: ReceivedMail): string => `<article>
<h2>${escaped(subject)}</h2>
<p>To ${escaped(to)}, ${day(at)} (${template.replaceAll("_", " ")})</p>
<pre>${linked(text)}</pre>
</article>`;

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const day = (at: number): string => `<time datetime="${new Date(at).toISOString()}">${days.format(at)} UTC</time>`;

/**
 * Turns the URLs in a text into links. A text that is split by a pattern with a group has the matches at odd indexes.
 */
const linked = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, i) => (i % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join("");
