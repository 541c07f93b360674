export const passwordLength = { min: 10, max: 128 } as const;

interface Owner {
  readonly email: string;
  readonly name: string;
}

/** Undefined if the password is acceptable. `common` holds lower-case passwords. */
export function weaknessOf(
  password: string,
  { email, name }: Owner,
  common: ReadonlySet<string>,
): "common" | "own_name" | undefined {
  const text = password.trim().toLowerCase();
  if ([email, name].some((known) => known.trim().toLowerCase() === text)) return "own_name";
  return common.has(text) ? "common" : undefined;
}
