/** Keyed evidence comes from a backend; anyone can send a browser's. */
export const evidences = ["key", "browser"] as const;
export type Evidence = (typeof evidences)[number];

export const bindingEvents = ["lead", "sale"] as const;
export type BindingEvent = (typeof bindingEvents)[number];
