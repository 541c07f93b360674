/**
 * Rejects if the processor's API takes too long, because the API's client waits much longer than the processor waits
 * for the webhook's response.
 */
export function inTime<T>(work: Promise<T>, ms = 4_000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, new Error(`the processor's API didn't answer within ${ms / 1_000} seconds`));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
