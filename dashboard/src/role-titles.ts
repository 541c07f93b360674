import type { Role } from "#domain/role.ts";

export const roleTitles: Readonly<Record<Role, string>> = { viewer: "Viewer", admin: "Admin", owner: "Owner" };
