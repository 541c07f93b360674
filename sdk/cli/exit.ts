/** Exit codes of the process. */
export const exit = {
  good: 0,
  /** The service answered negatively. */
  refused: 1,
  usage: 2,
  /** No answer, or one that asks to come back later. */
  unreachable: 3,
  /** As a shell has it for a command that Ctrl-C ended. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exit)[keyof typeof exit];
