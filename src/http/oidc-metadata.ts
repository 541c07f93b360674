import type { AuthorizationServer } from "oauth4webapi";
import { resting } from "./turns.ts";

const keptMs = 10 * 60_000;
const failureKeptMs = 5_000;
const looksEveryMs = 50;

/** Also the longest time that a call of the provider takes. */
export const timeoutMs = 10_000;

type Outcome = { readonly server: AuthorizationServer } | { readonly error: unknown };

/**
 * The metadata of a provider. One call reads them for all that need them meanwhile. A failure is kept for a few
 * seconds, so that a provider that is down gets one request for any number of sign-ins.
 */
export class Metadata {
  #last: { readonly outcome: Outcome; readonly at: number } | undefined;
  /** When the call began that reads them. */
  #askedAt: number | undefined;

  async read(ask: () => Promise<AuthorizationServer>): Promise<AuthorizationServer> {
    while (this.#known() === undefined && this.#isAsked()) await resting(looksEveryMs);
    const outcome = this.#known() ?? (await this.#ask(ask));
    if ("error" in outcome) throw outcome.error;
    return outcome.server;
  }

  #known(): Outcome | undefined {
    if (this.#last === undefined) return undefined;
    const { outcome, at } = this.#last;
    return isWithin(at, "error" in outcome ? failureKeptMs : keptMs) ? outcome : undefined;
  }

  /** On Cloudflare, a call can be cancelled before it has an outcome. */
  #isAsked(): boolean {
    return this.#askedAt !== undefined && isWithin(this.#askedAt, timeoutMs);
  }

  async #ask(ask: () => Promise<AuthorizationServer>): Promise<Outcome> {
    this.#askedAt = Date.now();
    const outcome = await ask().then(
      (server) => ({ server }),
      (error: unknown) => ({ error }),
    );
    this.#last = { outcome, at: Date.now() };
    this.#askedAt = undefined;
    return outcome;
  }
}

/** False if the clock was set back. */
function isWithin(since: number, ms: number): boolean {
  const age = Date.now() - since;
  return age >= 0 && age < ms;
}
