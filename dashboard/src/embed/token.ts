import { refresh } from "../api/use-query.ts";
import { isFramed, sayExpired } from "./host.ts";

/** How long the host may take to pass a token. */
const patienceMs = 15_000;

/** Kept in memory alone: nothing is stored in the browser. */
let token: string | undefined;
/** The refused token for which the host was asked for another one, until the service accepts one. */
let askedFor: string | undefined;
const waiting = new Set<() => void>();

export function setToken(next: string): void {
  // Another token may be another person's.
  const isOther = token !== undefined && next !== token;
  token = next;
  for (const resume of waiting) resume();
  if (isOther) refresh("");
}

/** Asks the host for another token. The host answers by passing one. */
export function askForToken(): void {
  askedFor = token;
  sayExpired();
}

export const tokenWasAccepted = (): void => {
  askedFor = undefined;
};

/**
 * Resolves to a token other than the refused one, or to undefined if the host passes none. If the service refuses the
 * next token too, the host isn't asked again: it would be asked without end.
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
  return token === refused ? undefined : token;
}
