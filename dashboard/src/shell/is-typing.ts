/** A key that is pressed there isn't a shortcut. */
export const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector("dialog[open]") !== null ||
  (target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null);
