import { addressWith, programAddress } from "../../../url.ts";

/** Address of the feed's newest events. With `seq`, of the events up to this number. */
export const feedAddress = (programId: number, seq?: number, isTest = false): string =>
  addressWith(programAddress(programId, "events/feed"), {
    test: isTest ? "only" : undefined,
    cursor: seq === undefined ? undefined : String(seq),
  });
