const storageKey = "tributary-program";

export const lastProgram = {
  get: (): string | undefined => localStorage.getItem(storageKey) ?? undefined,
  set: (programId: number): void => localStorage.setItem(storageKey, String(programId)),
  /** Forgets this program if it was the last, or any by default. */
  forget: (programId?: number): void => {
    if (programId === undefined || lastProgram.get() === String(programId)) localStorage.removeItem(storageKey);
  },
};
