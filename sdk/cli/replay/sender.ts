import { setTimeout as delay } from "node:timers/promises";
import { maxWaitMs } from "../../../importer/index.ts";
import { errorOf, isTakenUp, keyLimitOf } from "../refused.ts";
import type { Answer, Members, Reply, Service } from "../service.ts";

/** Thrown when the sender gives up. Contains the last reply. */
export class Stopped extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super("stopped");
    this.reply = reply;
  }
}

export interface SenderOptions {
  readonly service: Service;
  /** The time for which a call without an answer is retried (ms). */
  readonly giveUpAfterMs: number;
  /** Called when sending pauses, with the reason. */
  readonly onPause: (ms: number, why: string) => void;
}

const firstPauseMs = 250;
const maxPauseMs = 10_000;

/**
 * Sends until there is an answer. A pause that the service asks for applies to all calls. Throws `Stopped` if it gives
 * up.
 */
export function createSender({ service, giveUpAfterMs, onPause }: SenderOptions) {
  let pausedUntil = 0;
  let isReached = false;

  const pause = (reply: Reply, attempt: number) => {
    const asked = reply.isReached ? reply.retryAfterSeconds : null;
    const backoffMs = Math.min(maxPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
    const ms = asked === null ? backoffMs : asked * 1_000;
    if (Date.now() + ms <= pausedUntil) return;
    if (Date.now() > pausedUntil) onPause(ms, reply.isReached ? errorOf(reply).message : reply.message);
    pausedUntil = Date.now() + ms;
  };

  return async (path: string, body: Members): Promise<Answer> => {
    let silentSince: number | undefined;
    for (let attempt = 0; ; attempt += 1) {
      while (Date.now() < pausedUntil) await delay(pausedUntil - Date.now());
      const reply = await service.post(path, body);
      // If no call was ever answered at this address, the address is wrong.
      if (!reply.isReached && !isReached) throw new Stopped(reply);
      isReached = true;
      if (reply.isReached && (reply.status === 401 || keyLimitOf(reply))) throw new Stopped(reply);
      if (reply.isReached && isTakenUp(reply)) return reply;
      if (reply.isReached && Number(reply.retryAfterSeconds) * 1_000 > maxWaitMs) throw new Stopped(reply);
      if (reply.isReached && reply.status === 429) silentSince = undefined;
      else silentSince ??= Date.now();
      if (Date.now() - (silentSince ?? Date.now()) > giveUpAfterMs) throw new Stopped(reply);
      pause(reply, attempt);
    }
  };
}
