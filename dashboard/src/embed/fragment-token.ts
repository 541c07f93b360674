/** The token in `#token=`, which a native app puts into the address of a web view. The fragment is removed. */
export function takeFragmentToken(): string | undefined {
  const { hash, pathname, search } = location;
  const token = new URLSearchParams(hash.slice(1)).get("token");
  if (token === null) return undefined;
  history.replaceState(null, "", pathname + search);
  return token;
}

/** Taken when this module is evaluated: `main.tsx` imports it before anything else. */
export const tokenOfStart = takeFragmentToken();
