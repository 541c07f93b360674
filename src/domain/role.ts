/** What a member may do in a workspace, from least to most: each role may do what those before it may. */
export const roles = ["viewer", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

export const mayActAs = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
