import { attempt } from "./attempt.ts";

/**
 * Calls `look` after each navigation within the page. In browsers with the Navigation API, it is sometimes called
 * twice.
 */
export const onNavigation = (look: () => void): void =>
  attempt(() => {
    for (const name of ["replaceState", "pushState"] as const) {
      const original = history[name];
      history[name] = (...args) => {
        original.apply(history, args);
        look();
      };
    }
    addEventListener("popstate", look);
    // Comes last, because it throws if the API is missing or an element or frame has its name.
    (window as Window & { readonly navigation: EventTarget }).navigation.addEventListener("currententrychange", look);
  });
