/** `key`: a backend with a program key sent the evidence. `browser`: anyone could have sent it. */
export const evidences = ["key", "browser"] as const;
export type Evidence = (typeof evidences)[number];

/**
 * Evidence of a click that was sent for a customer. `moved`: only one sale was sent with the click, and a correction
 * gave that sale to another customer.
 */
export const shownEvidences = [...evidences, "moved"] as const;

export const bindingEvents = ["lead", "sale"] as const;
export type BindingEvent = (typeof bindingEvents)[number];
