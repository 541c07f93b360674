/** True if pressed keys aren't shortcuts: the user types in the element, or a dialog is open. */
export const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector("dialog[open]") !== null ||
  (target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null);
