import type { EmbedTheme } from "#domain/embed-settings.ts";

export const fonts: Readonly<Record<NonNullable<EmbedTheme["font"]>, string>> = {
  system: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  serif: 'ui-serif, Georgia, Cambria, "Times New Roman", serif',
  mono: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
};

export type Theme = Partial<EmbedTheme>;

interface Palette {
  readonly isDark: boolean;
  /** CSS custom properties by their names without the leading dashes. */
  readonly values: Readonly<Record<string, string>>;
}

const defaults = {
  light: { background: "#ffffff", text: "#171a23", accent: "#3451d1" },
  dark: { background: "#14171e", text: "#eceef4", accent: "#8ea2ff" },
} as const;

const [black, white] = ["#000000", "#ffffff"] as const;

const channels = (color: string): readonly number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Mixes two colors. A `share` of 0 returns `color`, and 1 returns `other`. */
function mix(color: string, other: string, share: number): string {
  const to = channels(other);
  const mixed = channels(color).map((channel, i) => Math.round(channel + ((to[i] ?? 0) - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns black or white, whichever has the higher contrast with the color. */
const inkOn = (color: string): string => (contrast(color, black) > contrast(color, white) ? black : white);

/** The minimum contrast that WCAG 2.2 AA requires of text. */
const enough = 4.5;

/** Mixes the color with just enough of `ink` that text in the result is readable on all of the backgrounds. */
function legible(color: string, ink: string, backgrounds: readonly string[]): string {
  const shares = Array.from({ length: 20 }, (_, i) => i / 20);
  const isReadable = (text: string) => backgrounds.every((background) => contrast(text, background) >= enough);
  return shares.map((share) => mix(color, ink, share)).find(isReadable) ?? ink;
}

const isDarkColor = (color: string): boolean => inkOn(color) === white;

function isDarkTheme({ background, text }: Theme, systemIsDark: boolean): boolean {
  if (background) return isDarkColor(background);
  return text ? !isDarkColor(text) : systemIsDark;
}

/**
 * Returns the page's colors: the theme's, the system's defaults where the theme has none, and colors derived from
 * these.
 */
export function paletteOf(theme: Theme, systemIsDark: boolean): Palette {
  const isDark = isDarkTheme(theme, systemIsDark);
  const usual = defaults[isDark ? "dark" : "light"];
  const background = theme.background ?? usual.background;
  const accent = theme.accent ?? usual.accent;
  const given = theme.text ?? usual.text;
  const ink = inkOn(background);
  const tinted = mix(background, given, 0.05);
  // If the background is of medium brightness, there may be no text color that is readable on both it and its tint.
  const sunken = contrast(ink, tinted) >= enough ? tinted : background;
  const readable = (color: string) => legible(color, ink, [background, sunken]);
  const text = readable(given);
  const values = {
    background,
    sunken,
    text,
    soft: readable(mix(text, background, 0.32)),
    line: mix(background, text, 0.15),
    "line-strong": mix(background, text, 0.48),
    accent,
    "accent-hover": mix(accent, inkOn(accent), 0.14),
    "accent-ink": inkOn(accent),
    "accent-text": readable(accent),
    good: readable("#1f8a56"),
    warn: readable("#a36a00"),
    bad: readable("#c8372d"),
    radius: `${theme.radius ?? 8}px`,
    font: fonts[theme.font ?? "system"],
  };
  return { isDark, values };
}
