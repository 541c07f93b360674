/** Returns the token in `#token=`, with which a native app opens a web view. Removes the fragment from the address. */
export function takeFragmentToken(): string | undefined {
  const { hash, pathname, search } = location;
  const token = new URLSearchParams(hash.slice(1)).get("token");
  if (token === null) return undefined;
  history.replaceState(null, "", pathname + search);
  return token;
}

/** Set when this module is evaluated. `main.tsx` imports this module before all others. */
export const tokenOfStart = takeFragmentToken();
