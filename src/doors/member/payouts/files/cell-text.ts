const unusual = /[^\p{L}\p{M}\p{N} .'()&/+-]+/gu;

/**
 * Text for a cell that a payment service reads: it has no quotes, separators or line breaks, and doesn't begin like a
 * formula, so that nothing has to be put in front of it for spreadsheets.
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

/** An address that no spreadsheet takes for a formula, and no service for something else. */
export const isPlainAddress = (account: string, maxLength: number): boolean =>
  account.length <= maxLength &&
  /^(?!.{65,}@)\w[\w!#$%&'*+/=?^`{|}~-]*(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/.test(
    account,
  );
