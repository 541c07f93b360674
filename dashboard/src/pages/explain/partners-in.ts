/** Splits a text into its words and mentions of partners such as "partner anna". The odd parts are mentions. */
export function partnersIn(text: string, codes: readonly string[]): readonly string[] {
  if (codes.length === 0) return [text];
  const longestFirst = [...new Set(codes)].toSorted((one, other) => other.length - one.length);
  return text.split(new RegExp(`([Pp]artner (?:${longestFirst.join("|")})(?![\\w-]))`));
}
