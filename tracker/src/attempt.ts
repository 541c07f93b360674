/**
 * Runs `step`. Returns undefined if it throws, for example because cookies or storage are disabled, or an object is
 * frozen.
 */
export const attempt = <T>(step: () => T): T | undefined => {
  try {
    return step();
  } catch {
    return undefined;
  }
};
