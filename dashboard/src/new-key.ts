let newKey: { readonly programId: number; readonly key: string } | undefined;

/** A key is told once: it lives in this page alone, until it is left. */
export function keepNewKey(programId: number, key: string): void {
  newKey = { programId, key };
}

export const newKeyOf = (programId: number): string | undefined =>
  newKey?.programId === programId ? newKey.key : undefined;
