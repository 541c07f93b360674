/** Sounds like a consonant at its start. */
const youSound = /^(user|unique|unit|union|URL|UTC|euro|European|one|once)/i;

/** Faults of a sentence that is put together from values: a doubled word, or a wrong article. */
export function sentenceFaults(text: string): readonly string[] {
  // Texts of callers may say anything.
  const own = text.replaceAll(/"[^"]*"/g, "…");
  const doubled = [...own.matchAll(/\b([a-z]+) \1\b/gi)].map(([found]) => found);
  const articles = [...own.matchAll(/\b(an?) ([a-z]\w*)/gi)].flatMap(([found, article, word = ""]) => {
    const isVowel = /^[aeiou]/i.test(word) && !youSound.test(word);
    const isSilent = /^(hour|honest)/i.test(word);
    return (article?.length === 2) === (isVowel || isSilent) ? [] : [found];
  });
  const gaps = [...own.matchAll(/undefined|null|NaN| {2}|\s[.,;]|[.,;]{2}|\bs's\b/g)].map(([found]) => found);
  return [...doubled, ...articles, ...gaps].map((found) => `“${found}” in: ${text}`);
}
