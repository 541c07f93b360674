import { addressWith, type Filters, programAddress } from "../../../url.ts";

/** Address of the list of calls under these filters. Without filters, it lists all calls. */
export const requestsAddress = (programId: number, filters: Filters = {}): string =>
  addressWith(programAddress(programId, "events/requests"), filters);
