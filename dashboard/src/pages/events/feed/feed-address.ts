import { addressWith, programAddress } from "../../../url.ts";

/** Address of the feed's newest events or, with `seq`, of those from this number backwards. */
export const feedAddress = (programId: number, seq?: number, isTest = false): string =>
  addressWith(programAddress(programId, "events/feed"), {
    test: isTest ? "only" : undefined,
    cursor: seq === undefined ? undefined : String(seq),
  });
