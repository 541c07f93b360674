import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDataKeys } from "#domain/data-keys.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { root } from "../../scripts/root.ts";
import { seedSample } from "../../scripts/sample/seed.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { seedProgram } from "./seed.ts";
import { openDashboard, pagesOf, settled, themes, type Width, widths } from "./support.ts";

// Run by `npm run screenshots`. Takes a picture of each page at each width and in both themes, from a program with sixty
// days of events. Also takes the README's picture, from the sample program.

const newContext = isolatedBrowser();
const people = usersOfFile();
const shownWidths = ["phone", "laptop", "wide"] as const satisfies readonly Width[];
const folder = join(root, "dist/screenshots");

const own = isolatedService();

/** Opens the program that `npm start` creates, as its owner. */
async function openSample() {
  const user = await own.user("Demo");
  const { workspaceId, write } = await own.world({ members: [{ user, role: "owner" }] });
  await write({ sql: "update workspaces set name = 'Demo' where id = ?", args: [workspaceId] });
  const dataKeys = parseDataKeys(testSecrets.DATA_KEYS) ?? expect.unreachable("the tests have no keys");
  const { HASH_SECRET: hashSecret } = testSecrets;
  const settings = { workspaceId, userId: user.userId, clickKeys: testClickKeys, hashSecret, dataKeys };
  await seedSample({ url: own.database.url, authToken: undefined }, settings);
  const { body } = await user.get<Named>(`/api/programs?workspaceId=${workspaceId}`);
  const program = body.data.find(({ name }) => name === "Sample shop");
  return { user, id: program?.id ?? expect.unreachable("there is no sample program") };
}

interface Named {
  readonly data: readonly { readonly id: number; readonly name: string }[];
}
interface Commissions {
  readonly data: readonly { readonly saleId: number; readonly source: string; readonly partnerCode: string }[];
}

test("the README's picture is saved", async () => {
  const { user, id } = await openSample();
  const { body } = await user.get<Commissions>(`/api/programs/${id}/commissions?status=approved`);
  const sale = body.data.find(({ source, partnerCode }) => source === "click" && partnerCode === "canvas");
  const at = `/programs/${id}/explain?saleId=${sale?.saleId}`;
  const page = await openDashboard(newContext, { user, at, width: "desktop", url: own.service.url });
  // Ends below the cards about the customer and the settings.
  await page.setViewportSize({ width: widths.desktop, height: 924 });
  await settled(page);
  await page.screenshot({ path: join(root, "docs/images/explanation.png") });
  await page.context().close();
});

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
