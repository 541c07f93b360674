/** Paths of up to this length are masked completely, because four characters would be half of the path or more. */
const shortPath = 8;

/** The URL's origin, and the last four characters of a longer path. Many webhook URLs are secrets. */
export function maskUrl(text: string): string {
  const { origin, pathname, search, hash } = new URL(text);
  const path = pathname + search + hash;
  if (path === "/") return text;
  return `${origin}/…${path.length > shortPath ? path.slice(-4) : ""}`;
}
