/** Roles in rising order. Each includes the rights of those before it. */
export const roles = ["viewer", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

export const memberStatuses = ["active", "suspended"] as const;

export const mayActAs = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
