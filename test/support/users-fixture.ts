import { beforeAll } from "vitest";
import type { Reply } from "../../harness/client.ts";
import { signUp, type User } from "../../harness/session.ts";
import { createWorld, type MemberSettings, type World, type WorldSettings } from "../../harness/world.ts";
import { sharedService } from "./shared-service.ts";

/** Users of a test file's own: each test gives them places in a world of its own. */
export interface FixtureUsers {
  readonly owner: User;
  readonly admin: User;
  readonly viewer: User;
  readonly suspended: User;
  /** Of no world. */
  readonly stranger: User;
  /** They as members, the owner first. */
  members(): MemberSettings[];
  world(settings?: WorldSettings): Promise<World>;
}

/** Signs them up before the file's tests; to be called at the top of the file. */
export function signUpUsers(): FixtureUsers {
  const users = new Map<string, User>();
  const names = ["owner", "admin", "viewer", "suspended", "stranger"];
  beforeAll(async () => {
    await Promise.all(names.map(async (name) => users.set(name, await signUp(sharedService.url, { name }))));
  });
  const user = (name: string): User => {
    const found = users.get(name);
    if (found === undefined) throw new Error("people sign up before the first test");
    return found;
  };
  const members = (): MemberSettings[] => [
    { user: user("owner"), role: "owner" },
    { user: user("admin"), role: "admin" },
    { user: user("viewer"), role: "viewer" },
    { user: user("suspended"), role: "owner", status: "suspended" },
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
    members,
    world: (settings) => createWorld(sharedService.databaseUrl, { members: members(), ...settings }),
  };
}

/** The fields that a refused body or query is refused for. */
export const invalidFields = ({ body }: Reply<unknown>) => body.error.details.errors?.map(({ path }) => path.join("."));

export const refusalOf = ({ status, body: { error } }: Reply<unknown>) => `${status} ${error.message}`;
