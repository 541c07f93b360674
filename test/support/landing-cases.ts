/** The landing cases for the API, the SDK and the browser script. All three also accept the query parameter `via`. */
export interface LandingCase {
  readonly title: string;
  /** Returns the query string of the landing page's URL, given the codes of two partners. */
  readonly query: (anna: string, bob: string) => string;
  /** Null if no partner is recognized. */
  readonly partner: "anna" | "bob" | null;
  readonly isVia?: true;
  readonly sub?: string;
}

type Query = LandingCase["query"];

const of =
  (partner: LandingCase["partner"], more: Pick<LandingCase, "isVia" | "sub"> = {}) =>
  (title: string, query: Query): LandingCase => ({ title, query, partner, ...more });
const annas = of("anna");
const bobs = of("bob");
const annasByVia = of("anna", { isVia: true });
const nobodys = of(null);

const escapedOnce = [
  annas("a link as it was made", (anna) => `x=1&aff=${anna}`),
  annas("escaped once too often", (anna) => `x=1&amp;aff=${anna}`),
  annas("escaped twice too often", (anna) => `x=1&amp;amp;aff=${anna}`),
  of("anna", { sub: "nl" })("escaped with its sub-id", (anna) => `utm_source=mail&amp;aff=${anna}&amp;aff_sub=nl`),
];

const spaced = [
  annas("white space before another name", (anna, bob) => `aff=${anna}&+aff=${bob}`),
  annas("white space before an earlier name", (anna, bob) => `+aff=${bob}&aff=${anna}`),
  annas("white space before a name in capitals", (anna, bob) => `aff=${anna}&%20AFF=${bob}`),
  nobodys("white space before the only name", (anna) => `%C2%A0aff=${anna}`),
  nobodys("white space behind the only name", (anna) => `aff%20=${anna}`),
  annasByVia("white space before another old name", (anna, bob) => `+via=${bob}&via=${anna}`),
  of("anna", { sub: "y" })("white space before another sub-id", (anna) => `aff=${anna}&aff_sub=y&%20aff_sub=x`),
];

const appended = [
  annas("a second question mark", (anna) => `aff=${anna}?utm_source=mail&utm_medium=email`),
  annas("an empty parameter", (anna) => `aff=${anna}&=`),
  annas("a semicolon", (anna) => `aff=${anna};utm_source=x`),
];

/** Queries of landing pages that were reported as broken. */
export const reportedLandings: readonly LandingCase[] = [...escapedOnce, ...appended];

const endings = [
  "/",
  ".",
  ")",
  ",",
  "%22",
  "'",
  "%3E",
  "%E2%80%9D",
  "%E2%80%A6",
  "%F0%9F%98%80",
  "%20smith",
  "%0Asmith",
  "%25",
  "*",
];
const invisible = ["%E2%80%8B", "%C2%AD", "%EF%BB%BF", "%E2%80%8E", "%EF%B8%8F"];
const letters = {
  "a letter beyond ASCII": "%C3%AB",
  "a combining mark": "%CC%88",
  "a digit of another script": "%D9%A3",
  "a letter of another script": "%E5%AE%89",
  "a letter that isn't UTF-8": "%EB",
  "a letter that was encoded twice": "%25C3%25AB",
  "an ASCII letter": "x",
};

export const landingCases: readonly LandingCase[] = [
  ...reportedLandings,
  ...spaced,
  ...endings.map((ending) => annas(`ends at ${ending}`, (anna) => `aff=${anna}${ending}`)),
  ...invisible.flatMap((text) => [
    annas(`${text} after the code`, (anna) => `aff=${anna}${text}`),
    annas(`${text} before the code`, (anna) => `aff=${text}${anna}`),
    annas(`${text} in the code`, (anna) => `aff=${anna.slice(0, 2)}${text}${anna.slice(2)}`),
  ]),
  annas("an invisible character in the name", (anna) => `%E2%80%8Baff=${anna}`),
  annas("spaces and line breaks around the code", (anna) => `aff=+%0A${anna}%0D%0A+`),
  annas("a code in capitals", (anna) => `aff=${anna.toUpperCase()}`),
  annas("5,000 characters of another parameter", (anna) => `x=${"y".repeat(5_000)}&aff=${anna}`),
  annas("a name in capitals", (anna) => `AFF=${anna}`),
  annas("a name with a capital, escaped in capitals", (anna) => `x=1&AMP;Aff=${anna}`),
  annas("the first with a value", (anna, bob) => `aff=&aff=%22&aff=${anna}&aff=${bob}`),
  bobs("the first of two, whatever their order", (anna, bob) => `aff=${bob}&aff=${anna}`),
  annas("a plain name before one in capitals", (anna, bob) => `AFF=${bob}&aff=${anna}`),
  annas("a plain name before an escaped one", (anna, bob) => `x=1&amp;aff=${bob}&aff=${anna}`),
  annas("a damaged name where the plain one is empty", (anna) => `aff=&AFF=${anna}`),
  of("anna", { sub: "nl" })("a sub-id's name in capitals", (anna) => `aff=${anna}&AFF_SUB=nl`),
  of("anna", { sub: "nl" })("an invisible character in a sub-id", (anna) => `aff=${anna}&aff_sub=nl%E2%80%8B`),
  ...Object.entries(letters).flatMap(([title, letter]) => [
    nobodys(`${title} after the code`, (anna) => `aff=${anna}${letter}`),
    nobodys(`${title} before the code`, (anna) => `aff=${letter}${anna}`),
  ]),
  nobodys("another name", (anna) => `xaff=${anna}&aff_id=${anna}&affiliate=${anna}`),
  nobodys("a code that no partner has, whatever follows", (anna) => `aff=${anna}-x&via=${anna}`),
  nobodys("nothing but punctuation", () => "aff=%22%22&via=."),
  annasByVia("another parameter", (anna) => `via=${anna}`),
  annasByVia("another parameter where aff has no value", (anna) => `aff=+%22&via=${anna}`),
  annasByVia("another parameter's name in capitals", (anna) => `VIA=${anna}`),
  annasByVia("another parameter, escaped", (anna) => `x=1&amp;via=${anna}.`),
  annas("aff in capitals before another parameter", (anna, bob) => `via=${bob}&AFF=${anna}`),
];
