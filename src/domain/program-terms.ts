export const leadAuths = ["browser_allowed", "server_required"] as const;
export type LeadAuth = (typeof leadAuths)[number];

export const attributionModels = ["last_click", "first_click"] as const;
export type AttributionModel = (typeof attributionModels)[number];

export const maxWindowDays = 365;

/**
 * The last event that the attribution window must cover: the lead that attributes a customer, or the first sale as
 * well.
 */
export const windowUntils = ["lead", "first_sale"] as const;
export type WindowUntil = (typeof windowUntils)[number];

export const payoutModes = ["manual"] as const;
