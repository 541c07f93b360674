import { setTimeout as delay } from "node:timers/promises";

/** Waits for the clock's next window, such as an hour or a day (UTC), unless enough is left of this one. */
export async function withinWindow(windowMs: number, neededMs: number): Promise<void> {
  const left = windowMs - (Date.now() % windowMs);
  if (left < neededMs) await delay(left + 50);
}
