const unusual = /[^\p{L}\p{M}\p{N} .'()&/+-]+/gu;

/**
 * Text for a cell that a payment service reads. It has no double quotes, separators or line breaks. It doesn't begin
 * like a formula, so it needs no escaping for spreadsheets.
 */
export const cellText = (text: string, maxLength: number): string =>
  Array.from(
    text
      .normalize("NFC")
      .replaceAll(unusual, " ")
      .replaceAll(/ +/g, " ")
      .replace(/^[^\p{L}\p{N}]+/u, ""),
  )
    .slice(0, maxLength)
    .join("")
    .trim();

/** Maximum length of a person's name at the banks of many of Wise's currencies. */
const maxName = 35;

/** The holder's name as a file for Wise contains it. */
export const wiseName = (holder: string): string => cellText(holder, 140);

/** Wise requires a first and a last name in Latin letters, each longer than an initial. */
export function isWiseName(holder: string): boolean {
  const name = wiseName(holder);
  return (
    name.length <= maxName &&
    !/(?!\p{Script=Latin})\p{L}/u.test(name) &&
    name.split(" ").filter((word) => /\p{L}.*\p{L}/u.test(word)).length >= 2
  );
}
