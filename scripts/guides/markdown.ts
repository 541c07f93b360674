/** The Markdown that docs/*.md use, as HTML. Every text is escaped: a document can't add markup of its own. */
export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

interface Heading {
  readonly id: string;
  readonly level: number;
  readonly text: string;
}

/** Returns the address of a link, or undefined to keep only its text. */
export type ResolveLink = (href: string) => string | undefined;

interface Context {
  readonly resolve: ResolveLink;
  readonly headings: Heading[];
}

type Lines = readonly string[];

const fence = /^```(\S*)/;
const headingLine = /^(#{1,4}) (.+)$/;
const marker = /^(?:[-*]|\d+\.) +/;
const delimiterRow = /^\|[\s:|-]+\|$/;

export function renderMarkdown(text: string, resolve: ResolveLink): Rendered {
  const context: Context = { resolve, headings: [] };
  const html = blocks(text.split("\n"), context);
  return { title: context.headings[0]?.text ?? "", html, headings: context.headings };
}

/** The anchor that GitHub gives a heading. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function blocks(lines: Lines, context: Context): string {
  const html: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const { length, html: block } = blockAt(lines, at, context);
    html.push(block);
    at += length;
  }
  return html.filter(Boolean).join("\n");
}

interface Block {
  /** In lines, at least 1. */
  readonly length: number;
  readonly html: string;
}

function blockAt(lines: Lines, at: number, context: Context): Block {
  const line = lines[at] ?? "";
  if (line.trim() === "") return { length: 1, html: "" };
  if (fence.test(line)) return codeBlock(lines, at);
  if (headingLine.test(line)) return { length: 1, html: heading(line, context) };
  if (delimiterRow.test(lines[at + 1] ?? "")) return table(lines, at, context);
  if (marker.test(line)) return list(lines, at, context);
  const text = takeWhile(lines, at, (each, i) => each.trim() !== "" && (i === 0 || !startsBlock(each)));
  return { length: text.length, html: `<p>${inline(text.join("\n"), context)}</p>` };
}

const startsBlock = (line: string): boolean => fence.test(line) || headingLine.test(line) || /^[-*] /.test(line);

function takeWhile(lines: Lines, from: number, isTaken: (line: string, i: number) => boolean): Lines {
  const end = lines.slice(from).findIndex((line, i) => !isTaken(line, i));
  return end === -1 ? lines.slice(from) : lines.slice(from, from + end);
}

function codeBlock(lines: Lines, at: number): Block {
  const text = takeWhile(lines, at + 1, (line) => !fence.test(line));
  return { length: text.length + 2, html: `<pre tabindex="0"><code>${escapeHtml(text.join("\n"))}</code></pre>` };
}

function heading(line: string, context: Context): string {
  const [, marks = "", text = ""] = headingLine.exec(line) ?? [];
  const plain = text.replaceAll(/[`*]/g, "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const anchor = anchorOf(plain);
  const earlier = context.headings.filter((each) => anchorOf(each.text) === anchor).length;
  const id = earlier === 0 ? anchor : `${anchor}-${earlier}`;
  context.headings.push({ id, level: marks.length, text: plain });
  return `<h${marks.length} id="${id}">${inline(text, context)}</h${marks.length}>`;
}

function table(lines: Lines, at: number, context: Context): Block {
  const [head = "", , ...rows] = takeWhile(lines, at, (line) => line.startsWith("|"));
  const cells = (line: string) =>
    line
      .slice(1, line.lastIndexOf("|"))
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll("\\|", "|"), context));
  const row = (line: string, tag: string) =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join("")}</tr>`;
  const names = cells(head).some(Boolean) ? `<thead>${row(head, "th")}</thead>` : "";
  const body = rows.map((line) => row(line, "td")).join("\n");
  return {
    length: rows.length + 2,
    html: `<div class="scroll" tabindex="0"><table>${names}<tbody>\n${body}\n</tbody></table></div>`,
  };
}

/** A list goes on as long as its lines begin an item or are indented, or blank ahead of such a line. */
function list(lines: Lines, at: number, context: Context): Block {
  const isOrdered = /^\d/.test(lines[at] ?? "");
  const own = isOrdered ? /^\d+\. +/ : /^[-*] +/;
  const taken = takeWhile(lines, at, (line, i) => {
    if (own.test(line) || /^\s+\S/.test(line)) return true;
    const next = lines[at + i + 1] ?? "";
    return line.trim() === "" && (own.test(next) || /^\s+\S/.test(next));
  });
  const items = taken.reduce<string[][]>((all, line) => {
    const found = own.exec(line);
    if (found) all.push([line.slice(found[0].length)]);
    else all.at(-1)?.push(line);
    return all;
  }, []);
  const tag = isOrdered ? "ol" : "ul";
  const html = items.map((item) => `<li>${listItem(item, context)}</li>`).join("\n");
  return { length: taken.length, html: `<${tag}>\n${html}\n</${tag}>` };
}

function listItem([first = "", ...rest]: Lines, context: Context): string {
  const indents = rest.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents, 3);
  const html = blocks([first, ...rest.map((line) => line.slice(indent))], context);
  return html.startsWith("<p>") && html.indexOf("</p>") === html.length - 4 ? html.slice(3, -4) : html;
}

/** Code first, since nothing in it is markup; then links, whose text may be code or bold. */
function inline(text: string, context: Context): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? keep(`<code>${escapeHtml(part.slice(1, -1))}</code>`) : escapeHtml(part)))
    .join("")
    .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, href: string) => link(label, href, context))
    .replaceAll(/&lt;(https?:\/\/\S+?)&gt;/g, (_, href: string) => `<a href="${href}" rel="noreferrer">${href}</a>`)
    .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, "<em>$1</em>")
    .replaceAll(/[\uE000-\uF8FF]/g, (mark) => String.fromCodePoint((mark.codePointAt(0) ?? 0) - privateUse));
}

const privateUse = 0xe000;
/** Hides what would be markup outside of code behind characters that no document uses. */
const keep = (html: string): string =>
  html.replaceAll(/[[\]()*]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + privateUse));

/** Both are escaped already. */
function link(label: string, href: string, { resolve }: Context): string {
  const address = resolve(href);
  if (address === undefined) return label;
  const rel = /^https?:/.test(address) ? ' rel="noreferrer"' : "";
  return `<a href="${address}"${rel}>${label}</a>`;
}
