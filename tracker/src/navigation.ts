import { attempt } from "./attempt.ts";

/** Calls it after every navigation within the page; where the browser has a Navigation API, after some of them twice. */
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
    // Last: it throws where there is none, or an element or a frame has the name.
    (window as Window & { readonly navigation: EventTarget }).navigation.addEventListener("currententrychange", look);
  });
