/**
 * The form in which addresses are compared. Addresses with different forms are treated as those of different people.
 */
export const normalizeEmail = (email: string): string => withAsciiDomain(email.trim().toLowerCase());

/** Letters, digits and marks of any script, with all dots that IDNA treats as a dot. */
const domainForm = /^[\p{L}\p{N}\p{M}.。．｡-]+$/u;
const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** The address with its domain in A-labels (RFC 5891), the form that DNS uses. */
export function withAsciiDomain(email: string): string {
  const [local, domain] = partsOf(email);
  if (domain === undefined || isAscii(domain) || !domainForm.test(domain)) return email;
  const url = `http://${domain}`;
  return URL.canParse(url) ? `${local}@${new URL(url).hostname}` : email;
}

function partsOf(email: string): readonly [local: string, domain?: string] {
  const at = email.lastIndexOf("@");
  return at === -1 ? [email] : [email.slice(0, at), email.slice(at + 1)];
}

const gmail = ["gmail.com", "googlemail.com"];

/** The first address in a pasted text, which may have a name, quotes, brackets, a link or further addresses. */
function addressIn(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}|\p{Default_Ignorable_Code_Point}|\([^()]*\)|["'`\u2018-\u201F[\]]/gu, "")
    .replaceAll("%40", "@");
  const [, marked] = /<([^<>]*@[^<>]*)>/.exec(plain) ?? [];
  const first = (marked ?? plain).split(/[,;]/).find((part) => part.includes("@")) ?? "";
  return first.replaceAll(/\s|[<>]/g, "").replace(/^mailto:/i, "");
}

/**
 * Equal for addresses that most likely reach the same person. Ignores a name, spaces and a tag after a plus sign, and
 * applies Gmail's rules. Undefined if the text isn't an address.
 */
export function similarEmail(text: string): string | undefined {
  const [local, domain = ""] = partsOf(normalizeEmail(addressIn(text)));
  const host = domain.replace(/\.+$/, "");
  const isGmail = gmail.includes(host);
  const untagged = local.replace(/(?<=.)\+.*/, "");
  const name = isGmail ? untagged.replaceAll(".", "") : untagged;
  return name === "" || host === "" ? undefined : `${name}@${isGmail ? gmail[0] : host}`;
}

const initial = (text: string): string => /^./su.exec(text)?.[0] ?? "";

/** Masks `john@example.com` as `j•••@example.com`. */
export const maskAddress = (email: string): string =>
  `${initial(email)}•••${email.slice(Math.max(0, email.lastIndexOf("@")))}`;

/** Masks `john@example.com` as `j•••@e•••.com`. A text without an `@` is masked completely. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at === -1) return "•••";
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf(".");
  const ending = dot === -1 ? "" : domain.slice(dot);
  return `${initial(email.slice(0, at))}•••@${initial(domain)}•••${ending}`;
}
