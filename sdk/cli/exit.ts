/** Exit codes of the process. */
export const exit = {
  good: 0,
  /** The service refused, or a check failed. */
  refused: 1,
  usage: 2,
  /** The service gave no answer, or one that asks to call again later. */
  unreachable: 3,
  /** The code that shells report for a command that Ctrl-C ended. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exit)[keyof typeof exit];
