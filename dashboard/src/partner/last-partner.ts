const storageKey = "tributary-partner";

/** The address of the partner that was open last. */
export const lastPartner = {
  get: (): string | undefined => localStorage.getItem(storageKey) ?? undefined,
  set: (address: string): void => localStorage.setItem(storageKey, address),
};
