import { maxClaimsPerDay } from "#domain/claim.ts";
import type { Failure } from "../../../api/failure.ts";
import { waitText } from "../../../wait-text.ts";

/** Says why a report was refused with 429, and when the next one is possible. */
export function limitText({ retryAfterSeconds = 60 }: Pick<Failure, "retryAfterSeconds">): string {
  const wait = waitText(retryAfterSeconds);
  // The limit of all calls ends within a minute.
  return retryAfterSeconds <= 60
    ? `Too many requests. Try again in ${wait}.`
    : `You have reported ${maxClaimsPerDay} sales today, the most for one day. You can report the next one in ${wait}.`;
}
