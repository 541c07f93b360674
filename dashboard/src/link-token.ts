const pages = ["invitation", "sign-up", "reset-password"] as const;
type Page = (typeof pages)[number];

const keyOf = (page: Page): string => `tributary-${page}`;

/**
 * A link that carries a token ends in `/app/#/<page>?token=…`. The token is kept for as long as the tab lives, through
 * signing up and in, and leaves the address, which people copy.
 */
export function takeLinkToken(): void {
  const take = () => {
    const [, name, query] = /^#\/([\w-]+)\?(.*)$/.exec(location.hash) ?? [];
    const page = pages.find((each) => each === name);
    if (page === undefined) return false;
    sessionStorage.setItem(keyOf(page), new URLSearchParams(query).get("token") ?? "");
    history.replaceState(null, "", `/app/${page}`);
    return true;
  };
  take();
  // Pasted into the address of a page that is open already.
  addEventListener("hashchange", () => take() && location.reload());
}

export const linkToken = (page: Page): string | undefined => sessionStorage.getItem(keyOf(page)) || undefined;
export const forgetLinkToken = (page: Page): void => sessionStorage.removeItem(keyOf(page));

/** What an account is created by where sign-up is by invitation. */
export const signUpToken = (): string | undefined => linkToken("invitation") ?? linkToken("sign-up");
