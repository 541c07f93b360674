import { base } from "../url.ts";

/** The address of a program's join page. The link itself is `/partner/#/join/<slug>`. */
export const joinAddress = (slug: string): string => `${base}join/${slug}`;

/** Redirects from the link that a program publishes to its join page. */
export function followJoinLink(): void {
  const follow = () => {
    const [, slug] = /^#\/join\/([\w-]+)$/.exec(location.hash) ?? [];
    if (slug === undefined) return false;
    history.replaceState(null, "", joinAddress(slug));
    return true;
  };
  follow();
  // The link was pasted into a tab that is already open.
  addEventListener("hashchange", () => follow() && location.reload());
}
