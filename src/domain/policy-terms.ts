/** Type `none` ends a policy. */
export const policyTypes = ["percent", "flat", "none"] as const;
export type PolicyType = (typeof policyTypes)[number];

export const policyScopes = ["one_time", "recurring", "lifetime"] as const;
export type PolicyScope = (typeof policyScopes)[number];
