/** Shorter paths aren't secrets. */
const shortPath = 8;

/** The URL's origin and last four characters. Many webhook URLs are secrets that not every reader may use. */
export function maskUrl(text: string): string {
  const { origin, pathname, search, hash } = new URL(text);
  const path = pathname + search + hash;
  if (path === "/") return text;
  return `${origin}/…${path.length > shortPath ? path.slice(-4) : ""}`;
}
