import { beforeAll } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { addUsers } from "../../harness/users.ts";
import { createWorld, type MemberSettings, type World, type WorldSettings } from "../../harness/world.ts";
import { sharedService } from "./shared-service.ts";

export interface FixtureUsers {
  readonly owner: User;
  readonly admin: User;
  readonly viewer: User;
  readonly suspended: User;
  readonly stranger: User;
  members(): MemberSettings[];
  world(settings?: WorldSettings): Promise<World>;
  /** Replaces the users by new ones, who aren't near a rate limit yet. */
  renew(): Promise<void>;
}

/**
 * Adds a test file's own users, who become members of each of its worlds: an owner, an admin and a viewer. On request,
 * it also adds a suspended member or a user who isn't a member. Call it at the top of the file.
 */
export function usersOfFile(...others: readonly ("suspended" | "stranger")[]): FixtureUsers {
  const users = new Map<string, User>();
  const names = ["owner", "admin", "viewer", ...others];
  const renew = async () => {
    for (const user of await addUsers(sharedService, names)) users.set(user.name, user);
  };
  beforeAll(renew);
  const user = (name: string): User => {
    const found = users.get(name);
    if (found === undefined) throw new Error(`usersOfFile() of this file has no ${name}, or no test has begun`);
    return found;
  };
  const members = (): MemberSettings[] => [
    { user: user("owner"), role: "owner" },
    { user: user("admin"), role: "admin" },
    { user: user("viewer"), role: "viewer" },
    ...(users.has("suspended") ? [{ user: user("suspended"), role: "owner", status: "suspended" } as const] : []),
  ];
  return {
    get owner() {
      return user("owner");
    },
    get admin() {
      return user("admin");
    },
    get viewer() {
      return user("viewer");
    },
    get suspended() {
      return user("suspended");
    },
    get stranger() {
      return user("stranger");
    },
    ...{ members, renew },
    world: (settings) => createWorld(sharedService.databaseUrl, { members: members(), ...settings }),
  };
}

export const invalidFields = ({ body }: Reply<unknown>) => body.error.details.errors?.map(({ path }) => path.join("."));

export const refusedWith = ({ status, body }: Reply<unknown>) => [status, body.error?.details];

export const refusedAs = ({ status, body: { error } }: Reply<unknown>) => [
  status,
  error.details?.code ?? error.message,
];

export const refusalOf = ({ status, body: { error } }: Reply<unknown>) => `${status} ${error.message}`;
