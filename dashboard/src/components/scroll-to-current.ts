/**
 * A ref for the current item of a row that may overflow: scrolls the row until the item is visible. `scrollIntoView`
 * would also move the starting point of Tab, past the link that skips to the content.
 */
export function scrollToCurrent(item: Element | null): void {
  const row = item?.closest("nav");
  const current = row?.querySelector("[aria-current]");
  if (row == null || current == null || row.scrollWidth <= row.clientWidth) return;
  const [own, around] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left - around.left - (around.width - own.width) / 2;
}
