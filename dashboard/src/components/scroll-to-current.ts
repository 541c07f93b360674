/**
 * A ref for the current item of a row that may overflow. `scrollIntoView` would also move the starting point of Tab,
 * past the link that skips to the content.
 */
export function scrollToCurrent(item: Element | null): void {
  const row = item?.closest("nav");
  if (item === null || row == null || row.scrollWidth <= row.clientWidth) return;
  const [own, around] = [item.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left - around.left - (around.width - own.width) / 2;
}
