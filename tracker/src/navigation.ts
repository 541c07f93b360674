import { attempt } from "./attempt.ts";

/** Browsers with the Navigation API call `look` twice after some navigations. */
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
    // Last, because it throws if the API is missing, or if an element or a frame has its name.
    (window as Window & { readonly navigation: EventTarget }).navigation.addEventListener("currententrychange", look);
  });
