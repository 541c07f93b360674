/** English with Latin digits, and with the date order of the reader's region. */
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

/** Numbers use English without a region: "en-DE" would mix German digits with English currency patterns. */
export const locale = "en";

/** The locale of dates and times. */
export const dateLocale = localeOf(typeof navigator === "undefined" ? [] : navigator.languages);
