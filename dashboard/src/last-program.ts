const storageKey = "tributary-program";

export const lastProgram = {
  get: (): string | undefined => localStorage.getItem(storageKey) ?? undefined,
  set: (programId: number): void => localStorage.setItem(storageKey, String(programId)),
  /** Forgets the last program; with an id, only if it is that program. */
  forget: (programId?: number): void => {
    if (programId === undefined || lastProgram.get() === String(programId)) localStorage.removeItem(storageKey);
  },
};
