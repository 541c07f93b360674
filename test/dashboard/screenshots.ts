import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { root } from "../../scripts/root.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { seedProgram } from "./seed.ts";
import { openDashboard, pagesOf, settled, themes, type Width, widths } from "./support.ts";

// Run by `npm run screenshots`. Takes a picture of each page at each width and in both themes, of a program with sixty
// days of events.

const newContext = isolatedBrowser();
const people = usersOfFile();
const shownWidths = ["phone", "laptop", "wide"] as const satisfies readonly Width[];
const folder = join(root, "dist/screenshots");

test("screenshots of every page are taken", async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { programId, workspaceId } = await seedProgram(people.members());
  const first = await openDashboard(newContext, { user: people.owner, at: `/programs/${programId}` });
  const inside = await pagesOf(first);
  const pages = [
    { user: undefined, at: "/sign-in" },
    { user: undefined, at: "/sign-up" },
    { user: undefined, at: "/reset-password" },
    { user: people.owner, at: "/account" },
    { user: people.owner, at: "/workspaces/new" },
    { user: people.owner, at: `/workspaces/${workspaceId}/programs/new` },
    ...inside.map((at) => ({ user: people.owner, at })),
  ];
  for (const theme of themes) {
    for (const width of shownWidths) {
      for (const { user, at } of pages) {
        const page = await openDashboard(newContext, { ...(user && { user }), at, theme, width });
        await settled(page);
        const name = at.replace(`/programs/${programId}/`, "").replace(`/${workspaceId}`, "").replaceAll("/", "-");
        const path = join(folder, `${name.replace(/^-/, "")}-${widths[width]}-${theme}.png`);
        await page.screenshot({ path, fullPage: true });
        if (name === "events") {
          await page
            .getByRole("link", { name: /^Sale / })
            .first()
            .click();
          await page.getByRole("heading", { level: 1, name: /^Sale / }).waitFor();
          await settled(page);
          await page.screenshot({ path: path.replace("events", "events-sale"), fullPage: true });
        }
        await page.context().close();
      }
    }
  }
  console.log(`${pages.length * themes.length * shownWidths.length} pictures in dist/screenshots`);
});
