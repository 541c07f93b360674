import { setTimeout as delay } from "node:timers/promises";

/**
 * Sends calls within one clock minute, because the local runtime counts rate limits per clock minute. If a minute ended
 * in between, sends them again.
 */
export async function withinMinute<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    const sent = await send();
    if (Math.floor(Date.now() / 60_000) === minute) return sent;
    // The calls sent in the new minute count against its limit, so this waits for the next minute.
    await delay(60_000 - (Date.now() % 60_000));
  }
}
