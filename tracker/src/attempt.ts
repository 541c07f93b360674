/** Treats an API that throws (no cookies, no storage, a frozen object) as absent. */
export const attempt = <T>(step: () => T): T | undefined => {
  try {
    return step();
  } catch {
    return undefined;
  }
};
