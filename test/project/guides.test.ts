import { expect, test } from "vitest";
import { renderGuides } from "../../scripts/guides/guides.ts";
import { renderMarkdown } from "../../scripts/guides/markdown.ts";

const render = (text: string) => renderMarkdown(text, (href) => (href.startsWith("gone") ? undefined : href)).html;

test("each guide is rendered whole, and every link inside the guides leads to a heading that exists", async () => {
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

test("no text of a document becomes markup", () => {
  expect(render("<script>alert(1)</script>")).toBe("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
  expect(render("`a **b** [c](d) <e>`")).toBe("<p><code>a **b** [c](d) &lt;e&gt;</code></p>");
  expect(render('[x](/y"onclick=z)')).toBe('<p><a href="/y&quot;onclick=z">x</a></p>');
  expect(render("```html\n<b>\n```")).toBe('<pre tabindex="0"><code>&lt;b&gt;</code></pre>');
});

test("tables, lists, code in lists, links and repeated headings", () => {
  expect(render("| a | |\n|---|---|\n| `x \\| y` | **b** |")).toBe(
    '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th></th></tr></thead><tbody>\n' +
      "<tr><td><code>x | y</code></td><td><strong>b</strong></td></tr>\n</tbody></table></div>",
  );
  expect(render("1. one\n   more\n\n   ```sh\n   ls\n   ```\n2. two\n\nAfter")).toBe(
    '<ol>\n<li><p>one\nmore</p>\n<pre tabindex="0"><code>ls</code></pre></li>\n<li>two</li>\n</ol>\n<p>After</p>',
  );
  expect(render("1. one\n\n2. two")).toBe("<ol>\n<li>one</li>\n<li>two</li>\n</ol>");
  expect(render("[the `key`](keys.md) and [gone](gone.md)")).toBe(
    '<p><a href="keys.md">the <code>key</code></a> and gone</p>',
  );
  expect(render("## With Stripe\n## With Stripe")).toBe(
    '<h2 id="with-stripe">With Stripe</h2>\n<h2 id="with-stripe-1">With Stripe</h2>',
  );
});
