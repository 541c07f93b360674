export const busyPauseMs = 1_000;
const maxIdlePauseMs = 5_000;

/** The pause between two reads, which grows while nothing happens. */
export const pauseAfter = (pauseMs: number, hasMoved: boolean): number =>
  hasMoved ? busyPauseMs : Math.min(maxIdlePauseMs, pauseMs * 1.25);
