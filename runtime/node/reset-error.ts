/**
 * An error with the flags that tell callers to call again. It is also thrown for whatever an object does after its end.
 */
export const resetError = (message: string): Error =>
  Object.assign(new Error(message), { retryable: true, durableObjectReset: true, remote: true });

export const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
