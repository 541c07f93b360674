import { base } from "./url.ts";

const pages = ["invitation", "sign-up", "reset-password", "verify-email", "proposal"] as const;
type Page = (typeof pages)[number];

const keyOf = (page: Page): string => `tributary${base}${page}`;

/**
 * Reads the token of a link `/app/#/<page>?token=…`, and keeps it while the tab is open, so that sign-up and sign-in
 * don't lose it. Removes it from the address, because people copy addresses.
 */
export function takeLinkToken(): void {
  const take = () => {
    const [, name, query] = /^#\/([\w-]+)\?(.*)$/.exec(location.hash) ?? [];
    const page = pages.find((each) => each === name);
    if (page === undefined) return false;
    sessionStorage.setItem(keyOf(page), new URLSearchParams(query).get("token") ?? "");
    history.replaceState(null, "", base + page);
    return true;
  };
  take();
  // The link was pasted into a tab that is already open.
  addEventListener("hashchange", () => take() && location.reload());
}

export const linkToken = (page: Page): string | undefined => sessionStorage.getItem(keyOf(page)) || undefined;
export const forgetLinkToken = (page: Page): void => sessionStorage.removeItem(keyOf(page));

export const signUpToken = (): string | undefined => linkToken("invitation") ?? linkToken("sign-up");
