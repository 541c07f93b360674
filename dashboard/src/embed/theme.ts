import { fonts, paletteOf, type Theme } from "./palette.ts";
import { settings } from "./settings.ts";

/** Reads the theme that the host passes in the page's query, and ignores other parameters. */
export function themeInQuery(search: string): Theme {
  const query = new URLSearchParams(search);
  const colors = (["accent", "background", "text"] as const).flatMap((name) => {
    const color = query.get(name) ?? "";
    return /^#[0-9a-f]{6}$/i.test(color) ? [[name, color] as const] : [];
  });
  const [radius, font] = [query.get("radius") ?? "", query.get("font") ?? ""];
  return {
    ...Object.fromEntries(colors),
    ...(/^\d{1,2}$/.test(radius) && Number(radius) <= 24 && { radius: Number(radius) }),
    ...(isFont(font) && { font }),
  };
}

const isFont = (name: string): name is NonNullable<Theme["font"]> => Object.hasOwn(fonts, name);

const system = matchMedia("(prefers-color-scheme: dark)");

function show(): void {
  const { isDark, values } = paletteOf({ ...settings.theme, ...themeInQuery(location.search) }, system.matches);
  const { style } = document.documentElement;
  style.colorScheme = isDark ? "dark" : "light";
  for (const [name, value] of Object.entries(values)) style.setProperty(`--${name}`, value);
}

export function followTheme(): void {
  show();
  system.addEventListener("change", show);
}
