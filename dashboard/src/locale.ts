/** English, as the page is, written as in the reader's region, with Latin digits. */
function localeOf(languages: readonly string[]): string {
  const valid = languages.flatMap((tag) => {
    try {
      return [new Intl.Locale(tag)];
    } catch {
      // Chromium may say "en-US@posix".
      return [];
    }
  });
  const english = valid.find(({ language }) => language === "en");
  const region = (english ?? valid[0])?.maximize().region;
  return new Intl.Locale("en", { ...(region && { region }), numberingSystem: "latn" }).toString();
}

export const locale = localeOf(typeof navigator === "undefined" ? [] : navigator.languages);
