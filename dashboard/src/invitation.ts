const place = "tributary-invitation";

/**
 * An invitation's link ends in `/app/#/invitation?token=…`. The token is kept for as long as the tab lives, through
 * signing up and in, and leaves the address, which people copy.
 */
export function takeInvitation(): void {
  const take = () => {
    const token = /^#\/invitation\?(.*)$/.exec(location.hash)?.[1];
    if (token === undefined) return false;
    sessionStorage.setItem(place, new URLSearchParams(token).get("token") ?? "");
    history.replaceState(null, "", "/app/invitation");
    return true;
  };
  take();
  // Pasted into the address of a page that is open already.
  addEventListener("hashchange", () => take() && location.reload());
}

export const invitationToken = (): string | undefined => sessionStorage.getItem(place) || undefined;
export const forgetInvitation = (): void => sessionStorage.removeItem(place);
