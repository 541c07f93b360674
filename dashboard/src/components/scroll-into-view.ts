/** A ref for the current item of a row that may overflow. */
export const scrollIntoView = (element: Element | null): void =>
  element?.scrollIntoView({ block: "nearest", inline: "nearest" });
