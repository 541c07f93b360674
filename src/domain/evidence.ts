/** Keyed evidence is from a backend; anyone can send a browser's. */
export const evidences = ["key", "browser"] as const;
export type Evidence = (typeof evidences)[number];

/** For a click that a customer showed. `moved`: only by a sale that a correction gave to another customer. */
export const shownEvidences = [...evidences, "moved"] as const;

export const bindingEvents = ["lead", "sale"] as const;
export type BindingEvent = (typeof bindingEvents)[number];
