import { createHash } from "node:crypto";
import { escaped } from "#domain/mail/letter.ts";
import { pageHeaders } from "./page-headers.ts";

// Pages outside the dashboard, for browsers that follow a link in an email or return from an identity provider.

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; background: light-dark(#fff, #14161c); color: light-dark(#1a1c22, #e6e8ee) }
a { color: light-dark(#2b4fd0, #9db4ff) }
button { font: inherit; padding: .5rem 1rem }
`;

const styleHash = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;

export const plainPageHeaders = Object.entries({
  ...pageHeaders,
  "Content-Security-Policy": `default-src 'none'; style-src ${styleHash}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "Referrer-Policy": "no-referrer",
});

/** `content` is HTML: values in it must be escaped. */
export const plainPage = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</html>
`;
