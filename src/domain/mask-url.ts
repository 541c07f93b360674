/** Shorter ones are no secrets. */
const shortPath = 8;

/** An address without most of its path, for those who may not send there: many addresses are secrets. */
export function maskUrl(text: string): string {
  const { origin, pathname, search, hash } = new URL(text);
  const path = pathname + search + hash;
  if (path === "/") return text;
  return `${origin}/…${path.length > shortPath ? path.slice(-4) : ""}`;
}
