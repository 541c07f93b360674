const maxLength = 2048;

const parse = (text: string): URL | null => URL.parse(text);

/** An address that a visitor's browser can have been at: http or https, nobody's credentials in it, of bounded length. */
export function isWebUrl(text: string): boolean {
  const url = text.length <= maxLength ? parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** The partner's code in a landing URL. */
export const affOf = (text: string): string | undefined => parse(text)?.searchParams.get("aff")?.trim() || undefined;

/** What is kept of a page's address: of the query only what tells where a visit came from. */
export function storedUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : parse(text);
  if (url === null) return undefined;
  const kept = [...url.searchParams].filter(([name]) => name === "aff" || name.startsWith("utm_"));
  url.search = new URLSearchParams(kept).toString();
  url.hash = "";
  return url.href;
}
