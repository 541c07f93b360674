export type Attributes = ReadonlyMap<string, string>;

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
};

/**
 * Returns the attributes of each tag with this name that the page's source contains. Scripts of the page aren't run.
 */
export function tagsOf(html: string, name: string): Attributes[] {
  const tag = new RegExp(`<${name}((?:\\s+|/)(?:"[^"]*"|'[^']*'|[^"'>])*)?>`, "gi");
  return [...html.replace(/<!--[\s\S]*?-->/g, "").matchAll(tag)].map(([, text = ""]) => attributesOf(text));
}

function attributesOf(text: string): Attributes {
  const found = text.matchAll(/([^\s"'=/>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return new Map([...found].map(([, name = "", a, b, c]) => [name.toLowerCase(), decoded(a ?? b ?? c ?? "")]));
}

const decoded = (text: string): string =>
  text.replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => entities[entity] ?? entity);
