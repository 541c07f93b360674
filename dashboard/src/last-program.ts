const place = "tributary-program";

/** Which program was looked at last, in this browser. */
export const lastProgram = {
  get: (): string | undefined => localStorage.getItem(place) ?? undefined,
  set: (programId: number): void => localStorage.setItem(place, String(programId)),
  /** That it was this one. Default: whichever it was. */
  forget: (programId?: number): void => {
    if (programId === undefined || lastProgram.get() === String(programId)) localStorage.removeItem(place);
  },
};
