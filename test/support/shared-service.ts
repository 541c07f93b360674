import { inject } from "vitest";
import { type Api, createApi } from "../../harness/client.ts";

/** The service that all tests of a run share: a test makes its own world in it, and never changes another's. */
export const sharedService: { readonly url: string; readonly databaseUrl: string } = inject("shared");

/** A caller of the shared service, at an address of its own. */
export const sharedApi = (): Api => createApi(sharedService.url);
