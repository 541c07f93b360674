import { setTimeout as delay } from "node:timers/promises";

/** The local runtime counts limits per clock minute. Repeats calls that were sent across a minute's end. */
export async function withinMinute<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    const sent = await send();
    if (Math.floor(Date.now() / 60_000) === minute) return sent;
    // Calls that were sent in the new minute count there.
    await delay(60_000 - (Date.now() % 60_000));
  }
}
