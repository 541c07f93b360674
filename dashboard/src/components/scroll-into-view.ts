/** A ref for the current one of a row that may be wider than the page: brings it into sight as it becomes that. */
export const scrollIntoView = (element: Element | null): void =>
  element?.scrollIntoView({ block: "nearest", inline: "nearest" });
