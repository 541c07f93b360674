import { addressWith, type Filters, programAddress } from "../../../url.ts";

/** Calls that match, or the newest ones. */
export const requestsAddress = (programId: number, filters: Filters = {}): string =>
  addressWith(programAddress(programId, "events/requests"), filters);
