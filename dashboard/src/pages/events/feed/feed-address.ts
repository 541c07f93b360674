import { addressWith, programAddress } from "../../../url.ts";

/** The newest events, or those from a number on backwards. */
export const feedAddress = (programId: number, seq?: number, isTest = false): string =>
  addressWith(programAddress(programId, "events/feed"), {
    test: isTest ? "only" : undefined,
    cursor: seq === undefined ? undefined : String(seq),
  });
