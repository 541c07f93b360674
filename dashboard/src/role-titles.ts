import type { Role } from "../../src/domain/role.ts";

export const roleTitles: Readonly<Record<Role, string>> = { viewer: "Viewer", admin: "Admin", owner: "Owner" };
