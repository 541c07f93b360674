import { sessionEnded } from "../api/client.ts";
import { refresh } from "../api/use-query.ts";
import { isFramed, sayExpired } from "./host.ts";

/** The time that the host has to send a token. */
const patienceMs = 15_000;

/** Kept only in memory. The page stores nothing in the browser. */
let token: string | undefined;
/** The refused token for which the host was asked for a replacement. Reset once the service accepts a token. */
let askedFor: string | undefined;
/** True if calls failed because no token arrived in time. */
let isLate = false;
const waiting = new Set<() => void>();

export function setToken(next: string): void {
  // The new token may be another person's, so all data is read again.
  const isOther = isLate || (token !== undefined && next !== token);
  token = next;
  isLate = false;
  for (const resume of waiting) resume();
  if (isOther) refresh("");
}

/** Asks the host for a new token. The host replies with a message that contains it. */
export function askForToken(): void {
  askedFor = token;
  sayExpired();
}

export const tokenWasAccepted = (): void => {
  askedFor = undefined;
  sessionEnded.set(false);
};

/**
 * Resolves to a token other than the refused one, or to undefined if the host sends none in time. If the service
 * refuses the replacement too, the host isn't asked again, because this would never end.
 */
export async function tokenOtherThan(refused: string | undefined): Promise<string | undefined> {
  if (token !== refused) return token;
  const wasForAnother = askedFor !== undefined && askedFor !== refused;
  if (!isFramed || wasForAnother) return undefined;
  if (refused !== undefined && askedFor === undefined) askForToken();
  await new Promise<void>((resolve) => {
    const resume = () => {
      clearTimeout(timer);
      waiting.delete(resume);
      resolve();
    };
    const timer = setTimeout(resume, patienceMs);
    waiting.add(resume);
  });
  isLate = token === undefined;
  return token === refused ? undefined : token;
}
