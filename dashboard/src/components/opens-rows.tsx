import type { ComponentChildren, JSX, TargetedMouseEvent } from "preact";

const controls = "a, button, input, select, label, summary, [role=menu]";

/** Makes a click anywhere in a row of the table follow the row's link, which has the class `row-link`. */
export const OpensRows = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the keyboard has the link itself
  <div class="opens-rows" onClick={openRow}>
    {children}
  </div>
);

function openRow({ target, currentTarget }: TargetedMouseEvent<HTMLElement>): void {
  if (!(target instanceof Element) || target.closest(controls) !== null) return;
  // A click that ends a selection of text doesn't follow the link.
  if (getSelection()?.isCollapsed === false) return;
  const row = target.closest("tbody tr");
  if (row !== null && currentTarget.contains(row)) row.querySelector<HTMLElement>("a.row-link")?.click();
}
