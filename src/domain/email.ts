export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

const initial = (text: string): string => /^./su.exec(text)?.[0] ?? "";

/** `john@example.com` as `j•••@example.com`. */
export const maskAddress = (email: string): string =>
  `${initial(email)}•••${email.slice(Math.max(0, email.lastIndexOf("@")))}`;

/** `john@example.com` as `j•••@e•••.com`. Without an `@`, everything is masked. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at === -1) return "•••";
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf(".");
  const ending = dot === -1 ? "" : domain.slice(dot);
  return `${initial(email.slice(0, at))}•••@${initial(domain)}•••${ending}`;
}
