/** Shorter ones aren't secrets. */
const shortPath = 8;

/** Host and last four characters, for readers who must not send there: many webhook addresses are secrets. */
export function maskUrl(text: string): string {
  const { origin, pathname, search, hash } = new URL(text);
  const path = pathname + search + hash;
  if (path === "/") return text;
  return `${origin}/…${path.length > shortPath ? path.slice(-4) : ""}`;
}
