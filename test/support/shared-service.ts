import { inject } from "vitest";
import { type Api, createApi } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { addUser } from "../../harness/users.ts";

/** The service that all tests of a run share. Each test creates its own world and changes no other test's world. */
export const sharedService: { readonly url: string; readonly databaseUrl: string } = inject("shared");

export const sharedApi = (): Api => createApi(sharedService.url);

export const sharedUser = (name?: string): Promise<User> => addUser(sharedService, name);
