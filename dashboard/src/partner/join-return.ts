/** The join page whose applicant has to verify their address. The mail's link opens in another tab. */
const key = "tributary verifying for";

export const rememberJoinPage = (): void => {
  try {
    localStorage.setItem(key, location.pathname);
  } catch {
    // If the browser stores nothing, the person has to open the join page again.
  }
};

/** Returns the join page to go back to, and forgets it. */
export function takeJoinPage(): string | undefined {
  try {
    const path = localStorage.getItem(key) ?? undefined;
    localStorage.removeItem(key);
    return path?.startsWith("/partner/join/") ? path : undefined;
  } catch {
    return undefined;
  }
}
