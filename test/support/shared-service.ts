import { inject } from "vitest";
import { type Api, createApi } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { addUser } from "../../harness/users.ts";

/** Shared by all tests of a run: each creates its own world in it and never changes another's. */
export const sharedService: { readonly url: string; readonly databaseUrl: string } = inject("shared");

export const sharedApi = (): Api => createApi(sharedService.url);

export const sharedUser = (name?: string): Promise<User> => addUser(sharedService, name);
