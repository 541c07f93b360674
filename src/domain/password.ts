export const passwordLength = { min: 10, max: 128 } as const;

interface Owner {
  readonly email: string;
  readonly name: string;
}

/**
 * The reason why a password is too weak. Undefined if it is acceptable. `common` contains common passwords in lower
 * case.
 */
export function weaknessOf(
  password: string,
  { email, name }: Owner,
  common: ReadonlySet<string>,
): "common" | "own_name" | undefined {
  const text = password.trim().toLowerCase();
  if ([email, name].some((known) => known.trim().toLowerCase() === text)) return "own_name";
  return common.has(text) ? "common" : undefined;
}
