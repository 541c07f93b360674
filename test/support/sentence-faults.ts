/** Words that begin with a vowel but sound like a consonant. */
const youSound = /^(user|unique|unit|union|URL|UTC|euro|European|one|once)/i;

/** Returns the faults of a sentence that the service has put together from values: doubled words and wrong articles. */
export function sentenceFaults(text: string): readonly string[] {
  // Quoted texts come from callers and may contain anything.
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
