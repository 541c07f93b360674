import { store } from "./api/store.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const place = "tributary-theme";

/** The theme that was chosen; the colours themselves know the system's. */
export const theme = store<Theme>(themes.find((each) => each === localStorage.getItem(place)) ?? "system");

function show(chosen: Theme): void {
  const { dataset } = document.documentElement;
  if (chosen === "system") delete dataset.theme;
  else dataset.theme = chosen;
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(place, chosen);
  theme.set(chosen);
}

theme.watch(show);
show(theme.get());
