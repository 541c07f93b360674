/** The form in which two spellings of an address are the same: trimmed, lower-cased. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

const initial = (text: string): string => /^./su.exec(text)?.[0] ?? "";

/** What may be shown of an address: `john@example.com` as `j•••@e•••.com`. Of what has no `@`, nothing. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at === -1) return "•••";
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf(".");
  const ending = dot === -1 ? "" : domain.slice(dot);
  return `${initial(email.slice(0, at))}•••@${initial(domain)}•••${ending}`;
}
