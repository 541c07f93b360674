/** Keyed evidence comes from a backend; anyone can send a browser's. */
export const evidences = ["key", "browser"] as const;
export type Evidence = (typeof evidences)[number];

/** The event that bound a customer to a click. */
export const bindingEvents = ["lead", "sale"] as const;
export type BindingEvent = (typeof bindingEvents)[number];
