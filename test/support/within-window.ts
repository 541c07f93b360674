import { setTimeout as delay } from "node:timers/promises";

/** Waits for the next window, such as an hour or a UTC day, unless this much time is left in the current one. */
export async function withinWindow(windowMs: number, neededMs: number): Promise<void> {
  const left = windowMs - (Date.now() % windowMs);
  if (left < neededMs) await delay(left + 50);
}
