import { attempt } from "./attempt.ts";

/** Calls it after every navigation within the page. */
export function onNavigation(look: () => void): void {
  const { navigation } = window as { readonly navigation?: EventTarget };
  if (navigation) navigation.addEventListener("currententrychange", look);
  else {
    addEventListener("popstate", look);
    for (const name of ["pushState", "replaceState"] as const) {
      const original = history[name];
      attempt(() => {
        history[name] = (...args) => {
          original.apply(history, args);
          look();
        };
      });
    }
  }
}
