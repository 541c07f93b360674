/** Splits a text into mentions of partners, such as "partner anna", and the text between. Mentions have odd indexes. */
export function partnersIn(text: string, codes: readonly string[]): readonly string[] {
  if (codes.length === 0) return [text];
  const longestFirst = [...new Set(codes)].toSorted((one, other) => other.length - one.length);
  return text.split(new RegExp(`([Pp]artner (?:${longestFirst.join("|")})(?![\\w-]))`));
}
