/** An element that is scrolled by less than this counts as not scrolled, because browsers round. */
const slackPx = 1;

/**
 * A ref for a scrolling element. It writes the sides to which the element can still be scrolled into `data-more` of the
 * element's parent, and adds a tooltip to each text that is cut off.
 */
export function watchScroller(element: HTMLElement | null): (() => void) | undefined {
  const frame = element?.parentElement;
  if (!element || !frame) return undefined;
  const mark = () => {
    const { clientWidth, scrollWidth } = element;
    // `scrollLeft` is negative where text runs from right to left.
    const before = Math.abs(element.scrollLeft);
    const isMore = { start: before > slackPx, end: scrollWidth - clientWidth - before > slackPx };
    frame.dataset.more = [isMore.start && "start", isMore.end && "end"].filter(Boolean).join(" ");
  };
  const resized = new ResizeObserver(mark);
  resized.observe(element);
  for (const content of element.children) resized.observe(content);
  element.addEventListener("scroll", mark, { passive: true });
  element.addEventListener("mouseover", showFullText);
  return () => {
    resized.disconnect();
    element.removeEventListener("scroll", mark);
    element.removeEventListener("mouseover", showFullText);
  };
}

function showFullText({ target }: Event): void {
  if (!(target instanceof HTMLElement) || target.title !== "" || target.scrollWidth <= target.clientWidth) return;
  if (getComputedStyle(target).textOverflow === "ellipsis") target.title = target.textContent ?? "";
}
