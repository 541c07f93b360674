let oneTimeKey: { readonly programId: number; readonly key: string } | undefined;

/** A key is told once: it lives in this page alone, until it is left. */
export function keepOneTimeKey(programId: number, key: string): void {
  oneTimeKey = { programId, key };
}

export const oneTimeKeyOf = (programId: number): string | undefined =>
  oneTimeKey?.programId === programId ? oneTimeKey.key : undefined;
