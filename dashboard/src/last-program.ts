const place = "tributary-program";

/** Which program was looked at last, in this browser. */
export const lastProgram = {
  get: (): string | undefined => localStorage.getItem(place) ?? undefined,
  set: (programId: number): void => localStorage.setItem(place, String(programId)),
  forget: (): void => localStorage.removeItem(place),
};
