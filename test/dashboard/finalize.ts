import type { Page } from "playwright-core";

/** Finalizes the draft that the page shows, with the partners who can't be paid yet. Presses `key` instead of clicking. */
export async function finalize(page: Page, total: string | RegExp = "", key?: string): Promise<void> {
  const button = page.getByRole("button", { name: total instanceof RegExp ? total : `Finalize ${total}` });
  await button.waitFor();
  const asked = page.getByLabel(/with no way to be paid yet/);
  if ((await asked.count()) > 0) {
    const why = page.getByText("To finalize, agree to include");
    await why.waitFor();
    await asked.check();
    await why.waitFor({ state: "detached" });
  }
  await (key === undefined ? button.click() : button.press(key));
}
