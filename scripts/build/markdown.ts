import GithubSlugger from "github-slugger";
import { Marked, type RendererObject } from "marked";

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

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export const unescapeHtml = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/**
 * Renders Markdown. Headings have the same anchors as on GitHub. Every text is escaped, so that a document can't add
 * its own markup.
 */
export function renderMarkdown(text: string, resolve: ResolveLink): Rendered {
  const headings: Heading[] = [];
  const slugger = new GithubSlugger();
  const renderer: RendererObject = {
    html: ({ text: markup }) => escapeHtml(markup),
    image: ({ text: alternative }) => escapeHtml(alternative),
    code: ({ text: code }) => `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`,
    heading({ tokens, depth }) {
      const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
      const id = slugger.slug(plain);
      headings.push({ id, level: depth, text: plain });
      return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens);
      const address = resolve(href);
      if (address === undefined) return label;
      const rel = /^https?:/.test(address) ? ' rel="noreferrer"' : "";
      return `<a href="${escapeHtml(address)}"${rel}>${label}</a>`;
    },
    table({ header, rows }) {
      const row = (cells: typeof header) => this.tablerow({ text: cells.map((each) => this.tablecell(each)).join("") });
      const head = header.some((each) => each.text !== "") ? `<thead>\n${row(header)}</thead>\n` : "";
      return `<div class="scroll" tabindex="0"><table>\n${head}<tbody>\n${rows.map(row).join("")}</tbody></table></div>\n`;
    },
  };
  const html = new Marked({ renderer }).parse(text, { async: false });
  return { title: headings[0]?.text ?? "", html, headings };
}
