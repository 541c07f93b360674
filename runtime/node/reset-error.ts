/** The flags by which callers know that they may call again. What an instance does after its end throws it, too. */
export const resetError = (message: string): Error =>
  Object.assign(new Error(message), { retryable: true, durableObjectReset: true, remote: true });

export const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
