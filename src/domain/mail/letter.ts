import { lineInMail } from "./harmless.ts";
import type { Letter } from "./mail.ts";

export type Paragraph = string | { readonly link: string };

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? "");

function htmlOf(paragraph: Paragraph): string {
  if (typeof paragraph === "string") return `<p>${escaped(paragraph).replaceAll("\n", "<br>")}</p>`;
  const url = escaped(paragraph.link);
  return `<p><a href="${url}">${url}</a></p>`;
}

/** Builds a mail. `subject` is one line. Names in it must have passed `nameInMail`. */
export const letterOf = (subject: string, paragraphs: readonly Paragraph[]): Letter => ({
  subject,
  text: `${paragraphs.map((each) => (typeof each === "string" ? each : each.link)).join("\n\n")}\n`,
  html: paragraphs.map(htmlOf).join("\n"),
});

/** Quotes a member's note, which may have several lines. */
export const quoted = (note: string): string =>
  note
    .trim()
    .split(/\r?\n/)
    .map((line) => `> ${lineInMail(line)}`)
    .join("\n");
