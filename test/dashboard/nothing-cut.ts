import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Checks that every number and time is complete and on one line, that a dialog's controls are inside it, that shortened
 * texts can be read in full, and that nothing is wider than the window.
 */
export async function expectNothingCut(page: Page, where: string): Promise<void> {
  const faults = await page.evaluate<string[]>(findCut);
  expect.soft(faults, where).toEqual([]);
}

const findCut = `(() => {
  const slack = 1;
  const faults = [];
  const named = (element) => element.outerHTML.slice(0, 160);
  const isSeen = (element) => element.getClientRects().length > 0 && !element.closest(".unseen, thead") &&
    getComputedStyle(element).visibility !== "hidden";
  const isBroken = (element) => {
    const tops = [...element.getClientRects()].map(({ top }) => top);
    return Math.max(...tops) - Math.min(...tops) > 8;
  };
  const clips = (element) => ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push("the page is " + scrollWidth + " px wide in " + clientWidth);

  for (const element of document.querySelectorAll(".figures, time, td.number")) {
    if (!isSeen(element)) continue;
    const { left, right } = element.getBoundingClientRect();
    if (element.matches(".figures, time") && isBroken(element)) faults.push("broken: " + named(element));
    if (element.scrollWidth > element.clientWidth + slack && element.clientWidth > 0) faults.push("cut: " + named(element));
    for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
      const box = outer.getBoundingClientRect();
      if (outer.matches(".table-scroll")) break;
      if (clips(outer) && (right > box.right + slack || left < box.left - slack)) faults.push("cut: " + named(element));
    }
  }
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    const box = dialog.getBoundingClientRect();
    for (const control of dialog.querySelectorAll("a, button, input, select, textarea, summary")) {
      if (!isSeen(control)) continue;
      const { left, right } = control.getBoundingClientRect();
      if (left < box.left - slack || right > box.right + slack) faults.push("outside the dialog: " + named(control));
    }
  }
  for (const element of document.querySelectorAll("td, td *, main :is(h1, h2, strong), dialog h2")) {
    if (!isSeen(element) || element.scrollWidth <= element.clientWidth + slack || element.clientWidth === 0) continue;
    if (!clips(element) || getComputedStyle(element).display === "inline") continue;
    element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    if (!element.closest("[title]:not([title=''])")) faults.push("without its full text: " + named(element));
  }
  return faults;
})()`;
