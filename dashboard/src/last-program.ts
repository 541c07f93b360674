const storageKey = "tributary-program";

/** Which program was looked at last, in this browser. */
export const lastProgram = {
  get: (): string | undefined => localStorage.getItem(storageKey) ?? undefined,
  set: (programId: number): void => localStorage.setItem(storageKey, String(programId)),
  /** That it was this one. Default: whichever it was. */
  forget: (programId?: number): void => {
    if (programId === undefined || lastProgram.get() === String(programId)) localStorage.removeItem(storageKey);
  },
};
