/** True for an element in which the user types: keys pressed there aren't shortcuts. */
export const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector("dialog[open]") !== null ||
  (target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null);
