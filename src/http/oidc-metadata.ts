import type { AuthorizationServer } from "oauth4webapi";
import { resting } from "./turns.ts";

const keptMs = 10 * 60_000;
const failureKeptMs = 5_000;
const looksEveryMs = 50;

/** The timeout of a call to the provider. A call that has run for longer is assumed to have ended. */
export const timeoutMs = 10_000;

type Outcome = { readonly server: AuthorizationServer } | { readonly error: unknown };

/**
 * Caches a provider's metadata. Concurrent sign-ins wait for one request. A failure is cached for a few seconds, so
 * that sign-ins don't flood a provider that is down.
 */
export class Metadata {
  #last: { readonly outcome: Outcome; readonly at: number } | undefined;
  /** When the running request for the metadata began (ms). */
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

  /** Returns false after the timeout, because Cloudflare may cancel a request so that it never ends. */
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

/** A negative age means that the clock was set back. It counts as expired. */
function isWithin(since: number, ms: number): boolean {
  const age = Date.now() - since;
  return age >= 0 && age < ms;
}
