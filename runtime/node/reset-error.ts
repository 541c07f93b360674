/** An error with the flags that ask callers to call again. An object also throws it for every action after its end. */
export const resetError = (message: string): Error =>
  Object.assign(new Error(message), { retryable: true, durableObjectReset: true, remote: true });

export const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
