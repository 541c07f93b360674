import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apiSections, sectionsOf } from "../../scripts/build/guide-sections.ts";
import { buildGuides, renderGuides } from "../../scripts/build/guides.ts";
import { renderMarkdown } from "../../scripts/build/markdown.ts";
import { root } from "../../scripts/root.ts";

const render = (text: string) => renderMarkdown(text, (href) => (href.startsWith("gone") ? undefined : href)).html;

test("each guide is rendered completely, and each link between the guides leads to an existing heading", async () => {
  const guides = await renderGuides();
  expect(guides.size).toBeGreaterThan(15);
  for (const [name, { title, html }] of guides) {
    expect(title, name).not.toBe("");
    const outsideCode = html.replaceAll(/<(pre|code)\b.*?<\/\1>/gs, "");
    expect(outsideCode.match(/\]\(|\*\*|`|^\|/gm), name).toBeNull();
    for (const [link, other = name, anchor = ""] of html.matchAll(
      /href="(?:\/docs\/guides\/([\w-]+)\/)?(?:#([^"]+))?"/g,
    )) {
      const target = guides.get(other);
      expect(target, `${name}: ${link}`).toBeDefined();
      if (anchor !== "")
        expect(
          target?.headings.map(({ id }) => id),
          `${name}: ${link}`,
        ).toContain(anchor);
    }
  }
});

test("each guide that the dashboard links to is served", async () => {
  const served = [...(await renderGuides()).keys()];
  const links = await readFile(join(root, "dashboard/src/components/guide-link.tsx"), "utf8");
  const linked = [...links.matchAll(/^ {2}\| "([\w-]+)"/gm)].map(([, name]) => name);
  expect(linked.length).toBeGreaterThan(5);
  expect(served).toEqual(expect.arrayContaining(linked));
});

test("each guide is also served as Markdown, with links to served pages", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guides-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await buildGuides(folder);
  const index = await readFile(join(folder, "llms.txt"), "utf8");
  const links = (text: string) => {
    const prose = text.replaceAll(/```.*?```|`[^`\n]*`/gs, "");
    return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, href = ""]) => href.replace(/#.*/, ""));
  };
  const served = links(index).filter((href) => href.endsWith(".md"));
  expect(served.length).toBe((await renderGuides()).size);
  for (const path of served) {
    const markdown = await readFile(join(folder, path), "utf8");
    for (const href of links(markdown)) {
      if (href.endsWith(".md")) expect(served, `${path}: ${href}`).toContain(href);
      else expect(href, path).toMatch(/^(https?:\/\/|\/|$)/);
    }
    const html = await readFile(join(folder, path.replace(/\.md$/, "/index.html")), "utf8");
    expect(html).toMatch(new RegExp(`<p class="about">For [\\w ]+ · <a href="${path}">Markdown</a></p>`));
  }
});

test("each heading of the guides and each API call is a section of the search, with the text below the heading", async () => {
  const guides = await renderGuides();
  for (const [name, { title, html, headings }] of guides) {
    const sections = sectionsOf(`/docs/guides/${name}/`, title, html);
    expect(sections.map(({ heading }) => heading)).toEqual(headings.map(({ text }) => text));
    expect(new Set(sections.map(({ address }) => address)).size).toBe(sections.length);
    expect(sections.map(({ text }) => text).join()).not.toMatch(/<\/(p|td|code|a)>|&(amp|lt|gt|quot);/);
  }
  const api = await apiSections();
  expect(api).toContainEqual(expect.objectContaining({ address: "/docs#trackSale", title: "API" }));
  expect(api).toContainEqual(expect.objectContaining({ address: "/docs#authentication", heading: "Authentication" }));
});

test("text in a document is never interpreted as markup", () => {
  expect(render("<script>alert(1)</script>")).toBe("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(render("a <b onclick=x> c")).toBe("<p>a &lt;b onclick=x&gt; c</p>\n");
  expect(render("`a **b** [c](d) <e>`")).toBe("<p><code>a **b** [c](d) &lt;e&gt;</code></p>\n");
  expect(render('[x](/y"onclick=z)')).toBe('<p><a href="/y&quot;onclick=z">x</a></p>\n');
  expect(render("![<i>](x)")).toBe("<p>&lt;i&gt;</p>\n");
  expect(render("```html\n<b>\n```")).toBe('<pre tabindex="0"><code>&lt;b&gt;</code></pre>\n');
});

test("tables without column names have no head, links without a target become text, and repeated headings have different anchors", () => {
  expect(render("| | |\n|---|---|\n| `x \\| y` | **b** |")).toBe(
    '<div class="scroll" tabindex="0"><table>\n<tbody>\n' +
      "<tr>\n<td><code>x | y</code></td>\n<td><strong>b</strong></td>\n</tr>\n</tbody></table></div>\n",
  );
  expect(render("[the `key`](keys.md) and [gone](gone.md)")).toBe(
    '<p><a href="keys.md">the <code>key</code></a> and gone</p>\n',
  );
  expect(render("## With *Stripe*\n## With Stripe")).toBe(
    '<h2 id="with-stripe">With <em>Stripe</em></h2>\n<h2 id="with-stripe-1">With Stripe</h2>\n',
  );
});
