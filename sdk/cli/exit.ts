/** How the process ends. */
export const exit = {
  good: 0,
  /** The service answered, and the answer is no. */
  refused: 1,
  usage: 2,
  /** No answer, or one that says: later. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof exit)[keyof typeof exit];
