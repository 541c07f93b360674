class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Rejects with a `TimeoutError` after `ms`. `who` names, in the error's message, what didn't answer. */
export const inTime = <T>(pending: Promise<T>, ms: number, who: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`${who} did not answer in time`)), ms);
    const settleWith =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        settle(value);
      };
    pending.then(settleWith(resolve), settleWith(reject));
  });
