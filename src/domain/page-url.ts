import { type Parameter, parametersOf } from "./landing.ts";
import { isSubId } from "./sub-id.ts";

const dropped = "*";

const minTokenLength = 16;
/**
 * The most digits that are kept. A number of five digits may be a year, a size or a postcode. Six may be an order
 * number.
 */
const maxDigits = 5;
const maxModelLength = 5;
const maxModels = 2;
const maxEncodings = 8;

const maxOriginLength = 300;
const maxPathLength = 512;
const maxQueryLength = 512;

/**
 * The part of a page's URL that is stored: origin and path, and of the query only `aff`, the first valid `aff_sub`,
 * `codeParam` and `utm_*`. Parts with personal data are removed, and long ones are cut. Null if the host is longer than
 * any that exists.
 */
export function storedPageUrl({ origin, pathname, searchParams }: URL, codeParam: string | null = null): string | null {
  if (origin.length > maxOriginLength) return null;
  const path = pathname.split("/").map((segment) => (isPersonal(segment) ? dropped : segment));
  const query = parametersOf(searchParams);
  const subIdAt = query.findIndex(isSubId);
  const kept = query.filter(
    ([name, value], i) =>
      i === subIdAt ||
      ((name === "aff" || name === codeParam || name.startsWith("utm_")) && !isEmailLike(name) && !isEmailLike(value)),
  );
  return `${origin}${cutPath(path.join("/"))}${queryOf(kept)}`;
}

/** Shortens a path. It never ends within a percent-encoded character. */
function cutPath(path: string): string {
  if (path.length <= maxPathLength) return path;
  return path
    .slice(0, maxPathLength)
    .replace(/%[\da-f]?$/i, "")
    .replace(/%[c-f][\da-f](?:%[89ab][\da-f]){0,3}$/i, "");
}

/** Builds the query from the parameters, in order, up to the first that no longer fits. */
function queryOf(kept: readonly Parameter[]): string {
  let query = "";
  for (const parameter of kept) {
    const longer = `${query}${query === "" ? "?" : "&"}${new URLSearchParams([[...parameter]])}`;
    if (longer.length > maxQueryLength) break;
    query = longer;
  }
  return query;
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

/** Counts digits in groups together (`555-123-4567`), but ignores dates and months (`2024-11-22`). */
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

/** True if the text has only digits, or only letters in one case apart from a capital first letter. */
const isWord = (part: string): boolean => /^(?:\p{Nd}*|[\p{L}\p{M}][^\p{Lu}\p{Nd}]*|[^\p{Ll}\p{Nd}]*)$/u.test(part);

const isModel = (part: string): boolean =>
  part.length <= maxModelLength && (part === part.toLowerCase() || part === part.toUpperCase());

/** Decodes percent-encoding, also if it was applied several times. Undefined if it was applied too often. */
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
