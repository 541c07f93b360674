const dropped = "*";

const minTokenLength = 16;
/** Five digits may be a year, a size or a postcode; six may be an order number. */
const maxDigits = 5;
const maxModelLength = 5;
const maxModels = 2;
const maxEncodings = 8;

/** Keeps the origin, the path, and `aff` and `utm_*` of the query, without personal data. */
export function storedPageUrl({ origin, pathname, searchParams }: URL): string {
  const path = pathname.split("/").map((segment) => (isPersonal(segment) ? dropped : segment));
  const kept = [...searchParams].filter(
    ([name, value]) => (name === "aff" || name.startsWith("utm_")) && !isEmailLike(name) && !isEmailLike(value),
  );
  return `${origin}${path.join("/")}${kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`}`;
}

function isPersonal(segment: string): boolean {
  const text = decoded(segment);
  return text === undefined || hasEmail(text) || hasLongNumber(text) || isToken(text);
}

function isEmailLike(value: string): boolean {
  const text = decoded(value);
  return text === undefined || hasEmail(text);
}

const hasEmail = (text: string): boolean => /\S\s*@\s*\S/u.test(text);

/** Counts groups (`555-123-4567`) together, but not dates and months (`2024-11-22`). */
function hasLongNumber(text: string): boolean {
  const withoutDates = text.replace(/(?<!\p{Nd}[-._ ]?)(?:19|20)\d\d-\d\d(?:-\d\d)?(?![-._ ]?\p{Nd})/gu, "");
  return [...withoutDates.matchAll(/\p{Nd}(?:[-._ ()]{0,2}\p{Nd})*/gu)].some(
    ([digits]) => digits.replace(/\P{Nd}/gu, "").length > maxDigits,
  );
}

function isToken(text: string): boolean {
  if (text.length < minTokenLength) return false;
  const mixed = text.split(/[^\p{L}\p{M}\p{Nd}]+/u).filter((part) => !isWord(part));
  return mixed.length > maxModels || !mixed.every(isModel);
}

/** Only digits, or only letters in one case except for an initial capital. */
const isWord = (part: string): boolean => /^(?:\p{Nd}*|[\p{L}\p{M}][^\p{Lu}\p{Nd}]*|[^\p{Ll}\p{Nd}]*)$/u.test(part);

const isModel = (part: string): boolean =>
  part.length <= maxModelLength && (part === part.toLowerCase() || part === part.toUpperCase());

/** Undoes percent-encoding that was applied several times. Undefined if there is no end to it. */
function decoded(text: string): string | undefined {
  let last = text;
  for (let i = 0; i < maxEncodings; i += 1) {
    const next = last.replace(/(?:%[0-9a-f]{2})+/gi, unescaped);
    if (next === last) return next.normalize("NFKC");
    last = next;
  }
  return undefined;
}

function unescaped(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return Buffer.from(bytes.replaceAll("%", ""), "hex").toString("latin1");
  }
}
