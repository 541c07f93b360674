import { createSignal } from "./api/signal.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "tributary-theme";

/** The user's choice. "system" is resolved in CSS. */
export const theme = createSignal<Theme>(themes.find((each) => each === localStorage.getItem(storageKey)) ?? "system");

function show(chosen: Theme): void {
  const { dataset } = document.documentElement;
  if (chosen === "system") delete dataset.theme;
  else dataset.theme = chosen;
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(storageKey, chosen);
  theme.set(chosen);
}

theme.watch(show);
show(theme.get());
