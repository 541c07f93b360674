import { locale } from "./locale.ts";

const regions = new Intl.DisplayNames(locale, { type: "region", fallback: "code" });

export const regionName = (code: string): string => regions.of(code) ?? code;
