const controls = "a, button, input, summary";

/** Moves focus from a control of a row to the same control in the row above or below. */
export function moveBetweenRows(event: KeyboardEvent): void {
  const { target, key, defaultPrevented } = event;
  if (defaultPrevented || (key !== "ArrowDown" && key !== "ArrowUp") || !(target instanceof Element)) return;
  const row = target.closest("tr");
  const next = key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  if (row === null || next == null) return;
  const inRow = [...row.querySelectorAll(controls)];
  const inNext = [...next.querySelectorAll<HTMLElement>(controls)];
  const to = inNext[inRow.indexOf(target)] ?? inNext[0];
  if (to === undefined) return;
  event.preventDefault();
  to.focus();
}
