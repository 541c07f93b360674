let oneTimeKey: { readonly programId: number; readonly key: string } | undefined;

/** The service shows a key only once. It stays in memory until the user leaves the page. */
export function keepOneTimeKey(programId: number, key: string): void {
  oneTimeKey = { programId, key };
}

export const oneTimeKeyOf = (programId: number): string | undefined =>
  oneTimeKey?.programId === programId ? oneTimeKey.key : undefined;
