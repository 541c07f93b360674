export const busyPauseMs = 1_000;
const maxIdlePauseMs = 5_000;

/** Returns the pause before the next read. It grows as long as there are no new events. */
export const pauseAfter = (pauseMs: number, hasMoved: boolean): number =>
  hasMoved ? busyPauseMs : Math.min(maxIdlePauseMs, pauseMs * 1.25);
